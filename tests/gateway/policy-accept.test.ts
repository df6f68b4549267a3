import { rmSync, writeFileSync } from 'node:fs';
import { newSignerKey, readSignerKey, renderVerifierKey, type SignerKey } from '@subluminal/core-types';
import { startGateway } from '@subluminal/daemon';
import { homePaths } from '@subluminal/ipc';
import { compilePolicy, signStatement, statementOf } from '@subluminal/policy';
import { describe, expect, it } from 'vitest';
import { eventually } from '../harness/processes.js';
import { dataOf, start, temporaryHome, toolCall, type TestGateway } from './harness.js';

function bundle(version: string, tool: string): string {
  return `policy_id: team
version: "${version}"
mode: guardrails
defaults: { decision_on_error: BLOCK }
selectors: {}
rules:
  - rule_id: no-${tool}
    kind: deny
    enabled: true
    severity: critical
    match: { tool_name: { glob: [${tool}] } }
    effect: { action: BLOCK, reason_code: DENYLIST_MATCH, message: ${tool} is not allowed }
`;
}

function key(name: string): SignerKey {
  const read = readSignerKey(newSignerKey(name));
  if (read === undefined) throw new Error('no key');
  return read;
}
const alice = key('alice');
const mallory = key('mallory');

function signature(source: string, serial: number, signer = alice): string {
  const compiled = compilePolicy(source);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
  return signStatement(statementOf(compiled.snapshot, source, { serial, now: 1_760_000_000_000 }), signer);
}

const SIGNED = `[policy]\naccept = "signed"\nsigners = ["${renderVerifierKey(alice.verifier)}"]\n`;
const OPERATOR = '[policy]\naccept = "operator"\n';
const OURS = { mode: 0o600 } as const;

interface Place {
  readonly home: string;
  readonly policy: string;
}

function place(config: string, source?: string, note?: string): Place {
  const { home } = temporaryHome();
  const { policy, config: file } = homePaths(home);
  writeFileSync(file, config, OURS);
  put(policy, source, note);
  return { home, policy };
}

function put(policy: string, source?: string, note?: string): void {
  if (note !== undefined) writeFileSync(`${policy}.sig`, note, OURS);
  if (source !== undefined) writeFileSync(policy, source, OURS);
}

async function actionOn(world: TestGateway, tool: string): Promise<unknown> {
  const run = await world.run();
  const answer = await run.client.request('tool.call.begin', toolCall({ tool_name: tool }));
  return (dataOf(answer)['decision'] as { action?: unknown }).action;
}

async function shown(world: TestGateway): Promise<Record<string, unknown>> {
  return dataOf(await (await world.operator()).request('policy.show', {}));
}

async function untilError(world: TestGateway, code: string): Promise<void> {
  const operator = await world.operator();
  await eventually(`the policy is refused with ${code}`, async () => {
    const { error } = dataOf(await operator.request('policy.show', {}));
    return (error as { code?: unknown } | null)?.code === code;
  });
}

describe('a gateway that takes signed policies only', () => {
  it('loads one that a listed signer has signed, and records who and with which serial', async () => {
    const source = bundle('1', 'rm');
    const { home } = place(SIGNED, source, signature(source, 5));
    const world = await start({ home });
    expect(await actionOn(world, 'rm')).toBe('BLOCK');
    expect(await shown(world)).toMatchObject({
      accept: 'signed',
      signature: { signer: 'alice', serial: 5, signed_at: '2025-10-09T08:53:20Z' },
      error: null,
    });
    expect(world.rows('policy_loaded').at(-1)?.data['signature']).toMatchObject({
      signer: 'alice',
      serial: 5,
    });
  });

  it.each<[string, string | undefined, string | undefined, string]>([
    ['no file', undefined, undefined, 'policy_missing'],
    ['a file without a signature', bundle('1', 'rm'), undefined, 'policy_unsigned'],
    [
      'one that somebody else signed',
      bundle('1', 'rm'),
      signature(bundle('1', 'rm'), 5, mallory),
      'policy_unsigned',
    ],
    ['the signature of another file', bundle('2', 'rm'), signature(bundle('1', 'rm'), 5), 'policy_unsigned'],
    ['a broken signature', bundle('1', 'rm'), 'nonsense\n', 'policy_unsigned'],
    // What nobody has signed is not even read.
    ['a file with a mistake', 'rules: [', signature(bundle('1', 'rm'), 5), 'policy_unsigned'],
  ])('does not start with %s, and observes nothing instead', async (_, source, note, code) => {
    const { home } = place(SIGNED, source, note);
    const started = startGateway({ home, headsLog: `${home}-heads.log` });
    await expect(started).rejects.toMatchObject({ code, help: expect.stringContaining('signed') });
  });

  it('keeps the last good one where a file is not signed, says why, and records it once', async () => {
    const source = bundle('1', 'rm');
    const { home, policy } = place(SIGNED, source, signature(source, 5));
    const world = await start({ home });
    writeFileSync(policy, bundle('2', 'mv'), OURS);
    await untilError(world, 'policy_unsigned');
    const reload = await (await world.operator()).request('policy.reload', {});
    expect(reload.error?.code).toBe('policy_unsigned');
    expect(JSON.stringify(world.rows('action_result').at(-1)?.data)).toContain('made for other bytes');
    expect([await actionOn(world, 'rm'), await actionOn(world, 'mv')]).toEqual(['BLOCK', 'ALLOW']);
    expect(await shown(world)).toMatchObject({ source: 'stored', policy_version: '1' });
    expect(world.rows('policy_refused').map(({ data }) => data)).toMatchObject([
      { accept: 'signed', error: { code: 'policy_unsigned' }, in_force: { policy_version: '1' } },
    ]);
    await world.restart();
    expect(await shown(world)).toMatchObject({
      source: 'stored',
      policy_version: '1',
      signature: { serial: 5 },
      error: { code: 'policy_unsigned' },
    });
    expect(await actionOn(world, 'rm')).toBe('BLOCK');
  });

  it('loads the pair whichever of the two files is written first', async () => {
    const source = bundle('1', 'rm');
    const { home, policy } = place(SIGNED, source, signature(source, 5));
    const world = await start({ home });
    const second = bundle('2', 'mv');
    writeFileSync(policy, second, OURS);
    await untilError(world, 'policy_unsigned');
    put(policy, undefined, signature(second, 6));
    await eventually('the pair is loaded', async () => (await shown(world))['policy_version'] === '2');
    expect(await shown(world)).toMatchObject({ source: 'file', error: null, signature: { serial: 6 } });
  });

  it('takes no older signed policy in place of a newer one, also after a restart', async () => {
    const [first, second] = [bundle('1', 'rm'), bundle('2', 'mv')];
    const { home, policy } = place(SIGNED, first, signature(first, 5));
    const world = await start({ home });
    put(policy, second, signature(second, 6));
    expect((await (await world.operator()).request('policy.reload', {})).status).toBe('success');
    put(policy, first, signature(first, 5));
    const replayed = await (await world.operator()).request('policy.reload', {});
    expect(replayed.error).toMatchObject({
      code: 'policy_outdated',
      message: 'the policy file is signed, but its serial 5 is lower than 6, which was loaded before',
    });
    await world.restart();
    expect(await shown(world)).toMatchObject({
      policy_version: '2',
      source: 'stored',
      error: { code: 'policy_outdated' },
    });
    put(policy, first, signature(first, 6));
    const twin = await (await world.operator()).request('policy.reload', {});
    expect(twin.error).toMatchObject({
      code: 'policy_outdated',
      message: expect.stringContaining('serial 6'),
    });
    put(policy, first, signature(first, 7));
    expect((await (await world.operator()).request('policy.reload', {})).status).toBe('success');
    expect(await shown(world)).toMatchObject({ policy_version: '1', signature: { serial: 7 } });
    await world.gateway.stop('test');
    expect(await world.verify()).toBe('ok');
  });

  it('remembers the serial while other policies are accepted without a signature', async () => {
    const [first, second] = [bundle('1', 'rm'), bundle('2', 'mv')];
    const { home, policy } = place(SIGNED, second, signature(second, 6));
    const world = await start({ home });
    await world.gateway.stop('test');
    writeFileSync(homePaths(home).config, '', OURS);
    put(policy, bundle('3', 'cp'));
    await world.restart();
    expect(await shown(world)).toMatchObject({ policy_version: '3', accept: 'file', signature: null });
    await world.gateway.stop('test');
    writeFileSync(homePaths(home).config, SIGNED, OURS);
    put(policy, first, signature(first, 5));
    await expect(startGateway({ home, headsLog: `${home}-heads.log` })).rejects.toMatchObject({
      code: 'policy_outdated',
    });
  });

  it('does not go on with a stored policy that no signer of today has signed', async () => {
    const source = bundle('1', 'rm');
    const { home, policy } = place(SIGNED, source, signature(source, 5));
    const world = await start({ home });
    await world.gateway.stop('test');
    const bob = key('bob');
    writeFileSync(
      homePaths(home).config,
      SIGNED.replace(renderVerifierKey(alice.verifier), renderVerifierKey(bob.verifier)),
      OURS,
    );
    await expect(startGateway({ home, headsLog: `${home}-heads.log` })).rejects.toMatchObject({
      code: 'policy_unsigned',
    });
    put(policy, undefined, signature(source, 6, bob));
    await world.restart();
    expect(await shown(world)).toMatchObject({ source: 'file', signature: { signer: 'bob' } });
  });
});

describe('a gateway whose policies the operator accepts', () => {
  it('loads a changed file when it is asked to, and not before, across restarts too', async () => {
    const { home, policy } = place(OPERATOR, bundle('1', 'rm'));
    const world = await start({ home });
    expect(await actionOn(world, 'rm')).toBe('BLOCK');
    writeFileSync(policy, bundle('2', 'mv'), OURS);
    await untilError(world, 'policy_pending');
    await world.restart();
    expect([await actionOn(world, 'rm'), await actionOn(world, 'mv')]).toEqual(['BLOCK', 'ALLOW']);
    expect(await shown(world)).toMatchObject({ source: 'stored', error: { code: 'policy_pending' } });
    expect((await (await world.operator()).request('policy.reload', {})).status).toBe('success');
    expect(await shown(world)).toMatchObject({ source: 'file', policy_version: '2', error: null });
    expect([await actionOn(world, 'rm'), await actionOn(world, 'mv')]).toEqual(['ALLOW', 'BLOCK']);
  });

  it('has nothing to ask for when the file is put back as it was, or only written another way', async () => {
    const { home, policy } = place(OPERATOR, bundle('1', 'rm'));
    const world = await start({ home });
    writeFileSync(policy, bundle('2', 'mv'), OURS);
    await untilError(world, 'policy_pending');
    writeFileSync(policy, `# the same\n${bundle('1', 'rm')}`, OURS);
    await eventually('nothing waits', async () => (await shown(world))['error'] === null);
    rmSync(policy);
    await untilError(world, 'policy_missing');
    expect(await actionOn(world, 'rm')).toBe('BLOCK');
  });
});

describe('the entry of a loaded policy', () => {
  it('keeps its normal form, by which calls of then are explained; the built-in one needs none', async () => {
    const world = await start();
    writeFileSync(world.paths.policy, bundle('1', 'rm'), OURS);
    expect((await (await world.operator()).request('policy.reload', {})).status).toBe('success');
    const [builtin, loaded] = world.rows('policy_loaded');
    expect(builtin?.blobs).toEqual({});
    expect(loaded?.blobs).toMatchObject({ 'policy.bundle': { state: 'present' } });
  });
});

describe('a policy file that keeps being refused', () => {
  it('costs the ledger a bounded number of entries', async () => {
    let now = 1_760_000_000_000;
    const world = await start({ policy: bundle('1', 'rm'), clock: () => now });
    const operator = await world.operator();
    for (let attempt = 0; attempt < 30; attempt += 1) {
      writeFileSync(world.paths.policy, `${'\n'.repeat(attempt)}rules: [`, OURS);
      expect((await operator.request('policy.reload', {})).error?.code).toBe('policy_invalid');
    }
    expect(world.rows('policy_refused')).toHaveLength(20);
    now += 3_700_000;
    writeFileSync(world.paths.policy, `${'\n'.repeat(40)}rules: [`, OURS);
    const again = await world.operator();
    expect((await again.request('policy.reload', {})).error?.code).toBe('policy_invalid');
    await eventually('the last is recorded', () => world.rows('policy_refused').length === 21);
    expect(world.rows('policy_refused').at(-1)?.data).toMatchObject({ unrecorded: 10 });
  });
});
