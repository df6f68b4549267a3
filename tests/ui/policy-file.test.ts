import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listAt, textAt, valueAt } from '@subluminal/core-types';
import { connectGateway, type GatewayClient, homePaths, readCredential } from '@subluminal/ipc';
import { openLedgerReader } from '@subluminal/ledger';
import type { PolicyFile } from '@subluminal/ui/protocol';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { dataOf } from '../gateway/harness.js';
import { bundle, deny } from '../gateway/policy-bundle.js';
import { createHome, type TestHome } from '../harness/home.js';
import { type Page, page, unlock } from './kit/page.js';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const policyOf = (version: string, ...rules: readonly string[]): string =>
  bundle(
    rules.map((name) => deny(name, `${name}_*`)),
    { version },
  );

let home: TestHome;
let file: string;
let operator: GatewayClient;
let ours: Page;

/** A home whose policy file waits for a person, or is loaded by itself. */
async function begin(accept: 'file' | 'operator'): Promise<void> {
  home = createHome({ policy: policyOf('1', 'rm', 'mv'), config: `[policy]\naccept = "${accept}"\n` });
  file = join(home.home, 'policy.yaml');
  await home.startWatched();
  const paths = homePaths(home.home);
  operator = await connectGateway({
    socketPath: paths.socket,
    credential: readCredential(paths.operatorKey),
    clock: Date.now,
  });
  ours = await page(operator);
}
afterEach(async () => {
  operator.close();
  await home.remove();
});

async function onDisk(): Promise<PolicyFile> {
  const { status, text } = await ours.get('/ui/api/policyfile');
  expect(status, text).toBe(200);
  return JSON.parse(text) as PolicyFile;
}

async function versionInForce(): Promise<string> {
  return textAt(dataOf(await operator.request('policy.show', {})), 'policy_version');
}

describe('a policy file that waits for a person', () => {
  beforeEach(() => begin('operator'));

  it('is shown against what is in force, and put in force by an unlocked page alone, as its session', async () => {
    writeFileSync(file, policyOf('2', 'rm'));
    const { compared, problem } = await onDisk();
    expect(problem).toBeNull();
    expect(valueAt(compared?.diff ?? {}, 'loosened')).toBe(true);
    expect(
      listAt(compared?.diff ?? {}, 'changes')
        .map((one) => textAt(one, 'text'))
        .join('\n'),
    ).toContain('mv');
    expect(JSON.parse(compared?.new.text ?? '')).toMatchObject({ version: '2' });
    const act = { act: 'reload', shown: compared?.new.hash ?? '', over: compared?.old.hash ?? '' } as const;
    expect(await ours.act(act)).toMatchObject({ status: 403, code: 'locked' });
    expect(await versionInForce()).toBe('1');
    await unlock(operator, ours);
    expect((await ours.act(act)).json).toMatchObject({ data: { changed: true, policy_version: '2' } });
    expect(await versionInForce()).toBe('2');
    const reader = openLedgerReader(home.ledger);
    const pending = reader.byAction('policy.reload', { limit: 10 }).rows.at(-1);
    reader.close();
    expect(pending?.data).toMatchObject({ source: `ui:${ours.session}` });
    expect((await onDisk()).compared?.new.hash).toBe(act.shown);
  });

  it('that changed between the look and the yes is not put in force, and what decides stays', async () => {
    writeFileSync(file, policyOf('2', 'rm'));
    const { compared } = await onDisk();
    await unlock(operator, ours);
    writeFileSync(file, policyOf('2'));
    const act = { act: 'reload', shown: compared?.new.hash ?? '', over: compared?.old.hash ?? '' } as const;
    const done = await ours.act(act);
    expect(done).toMatchObject({ status: 409, code: 'changed' });
    expect(textAt(done.json, 'error', 'message')).toBe('the policy is not as it was shown');
    expect(await versionInForce()).toBe('1');
    // The hash of what is in force is none for the file either.
    expect(await ours.act({ ...act, shown: compared?.old.hash ?? '' })).toMatchObject({ code: 'changed' });
    expect((await operator.request('policy.reload', { policy_hash: act.shown })).error?.code).toBe(
      'policy_changed',
    );
    expect((await ours.act({ ...act, shown: (await onDisk()).compared?.new.hash ?? '' })).status).toBe(200);
    expect(await versionInForce()).toBe('2');
  });

  it('is not put in force over another policy than the one that it was compared with', async () => {
    const [first, second, third] = [
      policyOf('1', 'rm', 'mv'),
      policyOf('2', 'rm'),
      policyOf('3', 'rm', 'cp'),
    ];
    writeFileSync(file, second);
    const { compared } = await onDisk();
    await unlock(operator, ours);
    writeFileSync(file, third);
    expect((await operator.request('policy.reload', {})).status).toBe('success');
    writeFileSync(file, second);
    const act = { act: 'reload', shown: compared?.new.hash ?? '', over: compared?.old.hash ?? '' } as const;
    expect(await ours.act(act)).toMatchObject({ status: 409, code: 'changed' });
    expect(await versionInForce()).toBe('3');
    writeFileSync(file, first);
    expect((await operator.request('policy.reload', {})).status).toBe('success');
    writeFileSync(file, second);
    expect((await ours.act(act)).status).toBe(200);
    expect(await versionInForce()).toBe('2');
  });

  it('says which line is wrong, or that it is gone, and is not put in force then', async () => {
    await unlock(operator, ours);
    writeFileSync(file, policyOf('2', 'rm').replace('"version"', '"verison"'));
    expect(await onDisk()).toEqual({
      compared: null,
      problem: 'policy.yaml:1: the key `version` is missing',
    });
    const act = { act: 'reload', shown: 'a'.repeat(64), over: 'b'.repeat(64) } as const;
    expect(await ours.act(act)).toMatchObject({ status: 422, code: 'policy_invalid' });
    rmSync(file);
    expect(await onDisk()).toEqual({ compared: null, problem: expect.stringContaining('no policy file') });
    expect(await ours.act(act)).toMatchObject({ status: 422, code: 'policy_missing' });
    expect(await versionInForce()).toBe('1');
  });

  it('is named by a hash, and by nothing else', async () => {
    await unlock(operator, ours);
    for (const shown of ['', 'abc', null, '../policy.yaml', 'A'.repeat(64)])
      for (const body of [
        { act: 'reload', shown, over: 'a'.repeat(64) },
        { act: 'reload', shown: 'a'.repeat(64), over: shown },
      ])
        expect(await ours.post('/ui/api/act', body)).toMatchObject({ code: 'bad_request' });
    for (const body of [{}, { shown: 'a'.repeat(64) }, { over: 'a'.repeat(64) }])
      expect(await ours.post('/ui/api/act', { act: 'reload', ...body })).toMatchObject({
        code: 'bad_request',
      });
  });
});

it('a policy file that nobody has to wait for is in force as it is saved', async () => {
  await begin('file');
  writeFileSync(file, policyOf('2', 'rm'));
  await expect.poll(versionInForce, { timeout: 10_000 }).toBe('2');
  const { compared } = await onDisk();
  expect(compared?.new.hash).toBe(compared?.old.hash);
});
