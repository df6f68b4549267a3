import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { Decision, RunOpened, sha256Hex, type JsonObject } from '@subluminal/core-types';
import { processIdentity, readCredential } from '@subluminal/ipc';
import SqliteDatabase from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import {
  after,
  dataOf,
  runBegin,
  start,
  toolCall,
  toolEnd,
  type TestGateway,
  type TestRun,
} from './harness.js';
import { between, Gate } from './between.js';
import { budget, bundle, deny } from './policy-bundle.js';

const HOME = bundle([deny('no-removing', 'remove')]);
const NAME = '.subluminal.yaml';
/** It grows ninefold with each line. */
const BOMB = [1, 2, 3, 4, 5, 6, 7]
  .map((n) => `k${n}: &a${n} [${(n === 1 ? 'x,' : `*a${n - 1},`).repeat(9)}]`)
  .join('\n');
const OWN = bundle([deny('no-writing', 'write')], { policy_id: 'shop', version: '3' });

/** A folder that is removed after the test, as its links lead. */
function folder(): string {
  const made = realpathSync(mkdtempSync(join(tmpdir(), 'sub-pj-')));
  after(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

function project(
  text: string | undefined = OWN,
  at = folder(),
): { readonly at: string; readonly file: string } {
  mkdirSync(at, { recursive: true });
  const file = join(at, NAME);
  if (text !== undefined) writeFileSync(file, text);
  return { at, file };
}

async function trust(world: TestGateway, file: string, text = OWN): Promise<JsonObject> {
  return dataOf(await (await world.operator()).request('policy.trust', { file, text }));
}

/** A run that works in a folder; `more` is what it says besides. */
async function runIn(
  world: TestGateway,
  cwd: string,
  more: object = {},
): Promise<TestRun & { opened: JsonObject }> {
  const begin = runBegin({ workload: { repo_path: cwd }, ...more });
  const answer = await (await world.operator()).request('run.begin', begin);
  const { run_id: id, credential } = RunOpened.parse(answer.data);
  return { id, credential, client: await world.connect(credential), opened: dataOf(answer) };
}

async function ask(world: TestGateway, run: TestRun, tool_name: string, more: object = {}): Promise<string> {
  const client = await world.connect(run.credential);
  const call = toolCall({ tool_name, args: {}, ...more });
  const answer = await client.request('tool.call.begin', call);
  const { action, rule_id } = Decision.parse(dataOf(answer)['decision']);
  if (action === 'ALLOW') await client.request('tool.call.end', toolEnd(call.call_id));
  return rule_id === null ? action : `${action} ${rule_id}`;
}

/** A call that a client makes itself, in a folder. */
const hooked = (cwd: string): object => ({ cwd, via: 'claude_hook', transport: 'unknown' });

const loaded = (world: TestGateway, run: TestRun): unknown[] =>
  world
    .rows('policy_loaded')
    .filter(({ runId }) => runId === run.id)
    .map(({ data }) => [data['source'], data['file'], data['ended'] ?? false]);

describe('the policy of a project', () => {
  it('has no effect before it is trusted, and narrows the runs of its folder afterwards', async () => {
    const world = await start({ policy: HOME });
    const { at, file } = project();
    const below = join(at, 'src');
    mkdirSync(below);
    const before = await runIn(world, below);
    expect(before.opened).toMatchObject({ project: at, projects: [{ file, state: 'untrusted' }] });
    expect(await ask(world, before, 'write')).toBe('ALLOW');
    expect(await trust(world, file)).toMatchObject({ file, sha256: sha256Hex(OWN), runs: 1 });
    // The run that lives there, from its next call on.
    expect(await ask(world, before, 'write')).toBe('BLOCK no-writing');
    const run = await runIn(world, below);
    expect(run.opened).toMatchObject({ projects: [{ file, state: 'trusted' }] });
    expect([
      await ask(world, run, 'read'),
      await ask(world, run, 'write'),
      await ask(world, run, 'remove'),
      await ask(world, await runIn(world, folder()), 'write'),
    ]).toEqual(['ALLOW', 'BLOCK no-writing', 'BLOCK no-removing', 'ALLOW']);
    expect(loaded(world, run)).toEqual([['project', file, false]]);
    const [start_] = world.rows('run_start').filter(({ runId }) => runId === run.id);
    expect(start_?.data['run']).toMatchObject({ project: at, projects: [{ file, state: 'trusted' }] });
    const decided = world.rows('tool_call_decision').filter(({ runId }) => runId === run.id);
    expect(decided[1]?.data).toMatchObject({
      policy: { policy_id: 'shop' },
      facts: { policies: { by: 'project', home: { action: 'ALLOW' }, project: { file, action: 'BLOCK' } } },
    });
    await world.gateway.stop('test');
    expect(await world.verify()).toBe('ok');
  });

  it('that is trusted while the beginning of a run is written binds that run, too', async () => {
    const gate = new Gate();
    const world = await start({
      policy: HOME,
      wrapLedger: between(async (group, next) => {
        const result = await next();
        if (group.entries[0]?.type === 'run_start') await gate.pass();
        return result;
      }),
    });
    const { at, file } = project();
    const begun = runIn(world, at);
    await gate.reached;
    await trust(world, file);
    gate.open();
    const run = await begun;
    expect(await ask(world, run, 'write')).toBe('BLOCK no-writing');
    expect(loaded(world, run)).toEqual([['project', file, false]]);
  });

  it('that was changed, removed or made unreadable stays as it was trusted, and says so', async () => {
    const world = await start({ policy: HOME });
    const { at, file } = project();
    await trust(world, file);
    const found = async (change: () => void): Promise<unknown> => {
      change();
      const run = await runIn(world, at);
      expect(await ask(world, run, 'write')).toBe('BLOCK no-writing');
      const [finding] = run.opened['projects'] as JsonObject[];
      rmSync(file, { recursive: true, force: true });
      return finding?.['state'];
    };
    const other = join(folder(), 'other');
    writeFileSync(other, OWN);
    expect([
      await found(() => undefined),
      await found(() => writeFileSync(file, bundle([]))),
      await found(() => writeFileSync(file, ' '.repeat(2_000_000))),
      await found(() => undefined),
      await found(() => symlinkSync(other, file)),
      await found(() => void execFileSync('mkfifo', [file])),
      await found(() => mkdirSync(file)),
    ]).toEqual(['trusted', 'changed', 'unreadable', 'removed', 'unreadable', 'unreadable', 'unreadable']);
  });

  it('binds by the path of its folder: one that is renamed there is narrowed, and is told of', async () => {
    const world = await start({ policy: HOME });
    const { at, file } = project();
    await trust(world, file);
    renameSync(at, `${at}-old`);
    after(() => rmSync(`${at}-old`, { recursive: true, force: true }));
    project(bundle([]), at);
    const run = await runIn(world, at);
    expect(run.opened['projects']).toEqual([{ file, state: 'changed' }]);
    expect(await ask(world, run, 'write')).toBe('BLOCK no-writing');
    // The text went with the folder, and the trust did not.
    expect(await ask(world, await runIn(world, `${at}-old`), 'write')).toBe('ALLOW');
  });

  it('and those of the folders above it hold together, each with counts of its own', async () => {
    const world = await start({ policy: HOME });
    const outer = project(bundle([budget('calls', '*', 3), deny('no-reading', 'read')]));
    const inner = project(
      bundle([budget('calls', '*', 2), deny('no-writing', 'write')]),
      join(outer.at, 'in'),
    );
    await trust(world, outer.file, bundle([budget('calls', '*', 3), deny('no-reading', 'read')]));
    await trust(world, inner.file, bundle([budget('calls', '*', 2), deny('no-writing', 'write')]));
    const run = await runIn(world, inner.at);
    const answers: string[] = [];
    for (const tool of ['read', 'write', 'look', 'look']) answers.push(await ask(world, run, tool));
    expect(answers).toEqual(['BLOCK no-reading', 'BLOCK no-writing', 'BLOCK calls', 'BLOCK calls']);
    const above = await runIn(world, outer.at);
    expect([await ask(world, above, 'write'), await ask(world, above, 'read')]).toEqual([
      'ALLOW',
      'BLOCK no-reading',
    ]);
  });

  it.each(['kept', 'counted anew'])('has counted what it had after a restart: %s', async (how) => {
    const world = await start({ policy: HOME });
    const { at, file } = project();
    await trust(world, file, bundle([budget('calls', '*', 2)]));
    const run = await runIn(world, at);
    expect(await ask(world, run, 'read')).toBe('ALLOW');
    await world.gateway.stop('test');
    if (how === 'counted anew') {
      const db = new SqliteDatabase(world.paths.gatewayDb);
      db.exec('DELETE FROM run_limits; DELETE FROM limits_mark');
      db.close();
    }
    await world.restart();
    expect([await ask(world, run, 'read'), await ask(world, run, 'read')]).toEqual(['ALLOW', 'BLOCK calls']);
    // A text that is trusted anew goes on with the counts of the one before, as the policy of the home does.
    await trust(world, file, bundle([budget('calls', '*', 3)]));
    expect([await ask(world, run, 'read'), await ask(world, run, 'read')]).toEqual(['ALLOW', 'BLOCK calls']);
  });

  it('binds a run that moves into its folder, and goes on to bind it elsewhere and after a restart', async () => {
    const world = await start({ policy: HOME });
    const [one, two, elsewhere] = [project(), project(), folder()];
    const link = join(elsewhere, 'link');
    symlinkSync(two.at, link);
    await trust(world, one.file, bundle([deny('not-one', 'one')]));
    await trust(world, two.file, bundle([deny('not-two', 'two')]));
    const run = await runIn(world, elsewhere);
    const asked = async (tool: string, cwd: string): Promise<string> => ask(world, run, tool, hooked(cwd));
    expect([
      await asked('one', elsewhere),
      await asked('one', join(one.at, 'src')),
      await asked('one', elsewhere),
      await asked('two', elsewhere),
      // By whatever name the folder goes.
      await asked('two', link),
      await asked('two', elsewhere),
    ]).toEqual(['ALLOW', 'BLOCK not-one', 'BLOCK not-one', 'ALLOW', 'BLOCK not-two', 'BLOCK not-two']);
    expect(loaded(world, run)).toEqual([
      ['project', one.file, false],
      ['project', two.file, false],
    ]);
    await world.restart();
    expect([await asked('one', elsewhere), await asked('two', elsewhere)]).toEqual([
      'BLOCK not-one',
      'BLOCK not-two',
    ]);
  });

  it('that is trusted after a restart binds the runs whose servers had started in its folder', async () => {
    const world = await start({ policy: HOME });
    const [{ at, file }, elsewhere] = [project(), folder()];
    const run = await runIn(world, elsewhere);
    const server = {
      shim_id: 'shim-1',
      proc_id: '1-1',
      server_name: 'server',
      argv_hash: 'a'.repeat(64),
      token: 'k'.repeat(22),
      shim: processIdentity(process.pid),
      cwd: at,
    };
    expect((await run.client.request('upstream.begin', server)).status).toBe('success');
    await world.restart();
    await trust(world, file);
    expect(await ask(world, run, 'write')).toBe('BLOCK no-writing');
  });

  it('binds a run that names a folder which is not there, below a link to its own', async () => {
    const world = await start({ policy: HOME });
    const [one, elsewhere] = [project(), folder()];
    const gone = join(elsewhere, 'link', 'not', 'there');
    symlinkSync(one.at, join(elsewhere, 'link'));
    await trust(world, one.file);
    const run = await runIn(world, elsewhere);
    expect([await ask(world, run, 'write'), await ask(world, run, 'write', hooked(gone))]).toEqual([
      'ALLOW',
      'BLOCK no-writing',
    ]);
    expect(await ask(world, await runIn(world, gone), 'write')).toBe('BLOCK no-writing');
    const explained = { server_name: 'server', tool_name: 'write', args: {}, cwd: gone };
    const operator = await world.operator();
    expect(dataOf(await operator.request('policy.explain', explained))).toMatchObject({ by: 'project' });
  });

  it('is taken from the operator alone, and holds for the text that was sent', async () => {
    const world = await start({ policy: HOME });
    const { at, file } = project(bundle([]));
    const run = await runIn(world, at);
    const enrolled = await world.connect(readCredential(world.paths.enrolKey));
    for (const client of [run.client, enrolled]) {
      for (const [action, payload] of [
        ['policy.trust', { file, text: OWN }],
        ['policy.untrust', { file }],
      ] as const) {
        expect(await client.request(action, payload)).toMatchObject({ error: { code: 'not_permitted' } });
      }
    }
    expect(await ask(world, run, 'write')).toBe('ALLOW');
    await trust(world, file);
    expect(await ask(world, run, 'write')).toBe('BLOCK no-writing');
  });

  it('is not taken with a mistake, nor for another file, the home or the root', async () => {
    const world = await start({ policy: HOME });
    const { file } = project();
    const operator = await world.operator();
    const asked = async (payload: object): Promise<unknown> => {
      const { error } = await operator.request('policy.trust', payload);
      return error?.code;
    };
    expect([
      await asked({ file, text: 'rules: [' }),
      await asked({ file: join(file, '..', 'policy.yaml'), text: OWN }),
      await asked({ file: `/tmp/../tmp/${NAME}`, text: OWN }),
      await asked({ file: NAME, text: OWN }),
      await asked({ file: `/${NAME}`, text: OWN }),
      await asked({ file: join(userInfo().homedir, NAME), text: OWN }),
      await asked({ file, text: 'x'.repeat(300_000) }),
      await asked({
        file,
        text: BOMB,
      }),
    ]).toEqual([
      'policy_invalid',
      'usage',
      'usage',
      'usage',
      'usage',
      'usage',
      'invalid_request',
      'policy_invalid',
    ]);
    expect(dataOf(await operator.request('policy.show', {}))).toMatchObject({ projects: [] });
  });

  it('that denies everything is healed by taking the trust back, and touches no other project', async () => {
    const world = await start({ policy: HOME });
    const { at, file } = project();
    const run = await runIn(world, at);
    const closed = bundle([], {
      defaults: { decision_on_error: 'BLOCK', no_match: 'BLOCK' },
      policy_id: 'none',
    });
    await trust(world, file, closed);
    expect([await ask(world, run, 'read'), await ask(world, await runIn(world, folder()), 'read')]).toEqual([
      'BLOCK',
      'ALLOW',
    ]);
    const operator = await world.operator();
    expect(dataOf(await operator.request('policy.untrust', { file }))).toMatchObject({
      sha256: sha256Hex(closed),
      runs: 1,
    });
    expect(await ask(world, run, 'read')).toBe('ALLOW');
    expect(await operator.request('policy.untrust', { file })).toMatchObject({
      error: { code: 'not_found' },
    });
    expect(loaded(world, run)).toEqual([
      ['project', file, false],
      ['project', file, true],
    ]);
    const results = world.rows('action_result').map(({ data, tool }) => [tool, data['detail']]);
    expect(results.slice(0, 2)).toMatchObject([
      ['policy.trust', { file, sha256: sha256Hex(closed), previous_sha256: null }],
      ['policy.untrust', { file, sha256: sha256Hex(closed) }],
    ]);
  });

  it('whose trusted text this version cannot read closes its folder, and no other', async () => {
    const world = await start({ policy: HOME });
    const { at, file } = project();
    await trust(world, file);
    await world.gateway.stop('test');
    const db = new SqliteDatabase(world.paths.gatewayDb);
    db.prepare("UPDATE project_policy SET text = 'rules: ['").run();
    db.close();
    await world.restart();
    expect([
      await ask(world, await runIn(world, at), 'read'),
      await ask(world, await runIn(world, folder()), 'read'),
    ]).toEqual(['BLOCK', 'ALLOW']);
  });

  it('may enforce where the home observes, and cannot observe away what the home enforces', async () => {
    const world = await start({ policy: bundle([deny('no-removing', 'remove')], { mode: 'observe' }) });
    const [strict, lax] = [project(), project()];
    await trust(world, strict.file);
    const observing = bundle([deny('no-writing', 'write')], { mode: 'observe' });
    await trust(world, lax.file, observing);
    const answers = async (): Promise<string[]> => {
      const [one, two] = [await runIn(world, strict.at), await runIn(world, lax.at)];
      const tools = ['write', 'remove'];
      const all: string[] = [];
      for (const run of [one, two]) for (const tool of tools) all.push(await ask(world, run, tool));
      return all;
    };
    expect(await answers()).toEqual([
      'BLOCK no-writing',
      'ALLOW no-removing',
      'ALLOW no-writing',
      'ALLOW no-removing',
    ]);
    writeFileSync(world.paths.policy, HOME, { mode: 0o600 });
    await (await world.operator()).request('policy.reload', {});
    expect(await answers()).toEqual([
      'BLOCK no-writing',
      'BLOCK no-removing',
      'ALLOW no-writing',
      'BLOCK no-removing',
    ]);
  });

  it('names keys for itself alone: the home is not read by them', async () => {
    const tagged = { tag: { add_risk_class: ['scratch'] } };
    const [tag, allow] = [
      { ...deny('scratch', '*'), kind: 'tag', match: { path: { under: ['/tmp'] } }, effect: tagged },
      { ...deny('free', '*'), kind: 'allow', match: { risk_class: ['scratch'] } },
    ];
    const free = { ...allow, effect: { action: 'ALLOW', reason_code: 'R', message: '' } };
    const closed = { decision_on_error: 'BLOCK', no_match: 'BLOCK' };
    const world = await start({ policy: bundle([tag, free], { defaults: closed }) });
    const { at, file } = project();
    const own = bundle(
      [deny('no-notes', '*')].map((one) => ({ ...one, match: { path: { under: ['/etc'] } } })),
      {
        tools: [{ paths: ['note'] }],
      },
    );
    await trust(world, file, own);
    const run = await runIn(world, at);
    const asked = (path: string, note: string): Promise<string> =>
      ask(world, run, 'run', { args: { path, note } });
    expect([
      await asked('/work/b', '/tmp/a'),
      await asked('/tmp/a', '/work/b'),
      await asked('/tmp/a', '/etc/b'),
    ]).toEqual(['BLOCK', 'ALLOW free', 'BLOCK no-notes']);
  });

  it('asks nobody: a rule of it that asks is a refusal', async () => {
    const world = await start({ policy: bundle([], { mode: 'control' }) });
    const { at, file } = project();
    const asks = { action: 'ASK', message: 'pushes are asked about' };
    const rule = { ...deny('pushes', 'push'), kind: 'ask', effect: asks };
    await trust(world, file, bundle([rule], { mode: 'control' }));
    const run = await runIn(world, at);
    expect(await ask(world, run, 'push')).toBe('BLOCK pushes');
    expect(world.rows('approval_requested')).toEqual([]);
  });

  it('is explained beside that of the home, for a run and for a folder', async () => {
    const world = await start({ policy: HOME });
    const { at, file } = project();
    await trust(world, file);
    const run = await runIn(world, at);
    const operator = await world.operator();
    const call = { server_name: 'fs', tool_name: 'write', args: {} };
    for (const where of [{ run_id: run.id }, { cwd: join(at, 'src') }]) {
      const explained = dataOf(await operator.request('policy.explain', { ...call, ...where }));
      expect(explained).toMatchObject({
        by: 'project',
        file,
        effective: { action: 'ALLOW' },
        project_policies: [
          { file, policy_id: 'shop', effective: { action: 'BLOCK', rule_id: 'no-writing' } },
        ],
      });
    }
    expect(dataOf(await operator.request('policy.explain', { ...call, cwd: folder() }))).not.toHaveProperty(
      'by',
    );
  });
});
