import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLedgerReader } from '@subluminal/ledger';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { bundle, deny } from '../gateway/policy-bundle.js';
import { describeWith } from './client.js';
import { configOf, resultsTold, runCodex, writeConfig } from './codex.js';
import { PINS } from './fetch.mjs';
import { ASKS, expectAskedAroundOnce, questionsOf } from './questions.js';
import { callsOf, runsOf } from './record.js';
import { openStage, type Stage } from './stage.js';

const POLICY = bundle(
  [
    deny(
      'no-home-removal',
      { command: { argv: ['rm -rf *'] } },
      { message: 'nothing of the home is removed' },
    ),
    ASKS,
    deny('no-secrets', { path: { glob: ['**/secret.txt'] } }, { message: 'no secrets are written' }),
  ],
  { mode: 'control' },
);
const patch = (file: string) => `*** Begin Patch\n*** Add File: ${file}\n+hello\n*** End Patch`;
const call = (tool: string, input: object | string, server?: string) => ({
  calls: [{ tool, input, ...(server === undefined ? {} : { server }) }],
});

describeWith(PINS.codex, 'with hooks', ({ program }) => {
  let stage: Stage;
  let before: string;

  beforeAll(async () => {
    stage = await openStage(POLICY);
    writeConfig(stage);
    before = readFileSync(configOf(stage), 'utf8');
    expect(await stage.runSub('hooks', 'install', 'codex')).toMatchObject({ code: 0 });
  }, 180_000);
  afterAll(() => stage.close(), 60_000);

  it('has its own tools decided and recorded, and what is refused does not happen', async () => {
    const kept = join(stage.project, 'kept');
    mkdirSync(kept);
    stage.model.play([
      call('exec_command', { cmd: 'echo hello > a.txt' }),
      call('apply_patch', patch('p.txt')),
      call('exec_command', { cmd: 'rm -rf kept' }),
      call('apply_patch', patch('secret.txt')),
      call('tell', { hook_event_name: 'PostToolUse' }, 'subluminal'),
      { text: 'finished' },
    ]);
    const turn = await runCodex(stage, program);
    expect(turn).toMatchObject({ code: 0 });
    expect(existsSync(kept)).toBe(true);
    expect(existsSync(join(stage.project, 'p.txt'))).toBe(true);
    expect(existsSync(join(stage.project, 'secret.txt'))).toBe(false);
    const told = JSON.stringify(resultsTold(stage.model.asked));
    expect(told).toContain('nothing of the home is removed');
    expect(told).toContain('this tool answers hooks alone');

    const [run, ...others] = await runsOf(stage);
    expect(others).toEqual([]);
    expect(run).toMatchObject({ client: 'codex', attested: false });
    const calls = await callsOf(stage, run?.run_id ?? '');
    expect(
      calls.map(({ server_name: server, tool_name: tool, decision }) => [server, tool, decision]),
    ).toEqual([
      ['codex:builtin', 'Bash', 'ALLOW'],
      ['codex:builtin', 'apply_patch', 'ALLOW'],
      ['codex:builtin', 'Bash', 'BLOCK'],
      ['codex:builtin', 'apply_patch', 'BLOCK'],
      ['subluminal', 'tell', 'ALLOW'],
    ]);
    const reader = openLedgerReader(stage.sub.ledger);
    const { rows } = reader.byRun(run?.run_id ?? '', { order: 'asc', limit: 1000 });
    reader.close();
    const events = rows.filter(({ type }) => type === 'hook_event').map(({ data }) => data['hook']);
    expect(events).toMatchObject([
      { event: 'SessionStart', via: 'codex_hook' },
      { event: 'UserPromptSubmit' },
      { event: 'Stop' },
    ]);
    expect(JSON.stringify(rows)).not.toContain('do what you were told');
  });

  it('tells its model that a person was asked, and makes the call once they have said yes', async () => {
    stage.model.play([
      call('exec_command', { cmd: 'touch asked.txt' }),
      call('exec_command', {
        cmd: 'for i in $(seq 300); do [ -e answered ] && break; sleep 0.1; done',
        yield_time_ms: 30_000,
      }),
      call('exec_command', { cmd: 'touch asked.txt' }),
      call('exec_command', { cmd: 'touch asked.txt' }),
      { text: 'finished' },
    ]);
    const turn = runCodex(stage, program);
    const [question] = await questionsOf(stage, 'touch asked.txt', 1);
    expect(await stage.runSub('approvals', 'approve', question?.id ?? '', '--for', 'once')).toMatchObject({
      code: 0,
    });
    writeFileSync(join(stage.project, 'answered'), '');
    expect(await turn).toMatchObject({ code: 0 });
    expectAskedAroundOnce(stage, resultsTold(stage.model.asked));
  });

  it('gets its files back as they were', async () => {
    expect(await stage.runSub('hooks', 'uninstall', 'codex')).toMatchObject({ code: 0 });
    expect(readFileSync(configOf(stage), 'utf8')).toBe(before);
    expect(existsSync(join(stage.user, '.codex/hooks.json'))).toBe(false);
  });
});

/** The words of a guard, in the next request of the model. */
const UNDECIDED = 'nobody could decide this call, so it was not made';

describeWith(PINS.codex, 'with hooks and a tool that is not called without a gateway', ({ program }) => {
  let stage: Stage;

  beforeEach(async () => {
    stage = await openStage(POLICY);
    writeConfig(stage);
    expect(await stage.runSub('hooks', 'install', 'codex', '--block-when-away', 'Bash')).toMatchObject({
      code: 0,
    });
    writeFileSync(join(stage.sub.home, 'config.toml'), 'autostart = false\n', { mode: 0o600 });
  }, 180_000);
  afterEach(() => stage.close(), 60_000);

  const wasMade = (file: string): boolean => existsSync(join(stage.project, file));
  const told = (): string => JSON.stringify(resultsTold(stage.model.asked));

  it('makes its calls as ever while the gateway decides', async () => {
    stage.model.play([
      call('exec_command', { cmd: 'sleep 1; touch first.txt' }),
      call('exec_command', { cmd: 'rm -rf first.txt' }),
      { text: 'finished' },
    ]);
    expect(await runCodex(stage, program)).toMatchObject({ code: 0 });
    expect(wasMade('first.txt')).toBe(true);
    expect(told()).toContain('nothing of the home is removed');
  });

  it('does not call it where no gateway runs, and goes on with the others', async () => {
    expect(await stage.runSub('down')).toMatchObject({ code: 0 });
    stage.model.play([
      call('exec_command', { cmd: 'touch ran.txt' }),
      call('apply_patch', patch('p.txt')),
      { text: 'finished' },
    ]);
    expect(await runCodex(stage, program)).toMatchObject({ code: 0 });
    expect([wasMade('ran.txt'), wasMade('p.txt')]).toEqual([false, true]);
    expect(told()).toContain(UNDECIDED);
  });

  it.each([
    ['the gateway', `kill -9 $(cat "$SUB_PID_FILE")`],
    ['the server that answers its hooks', `kill -9 $(ls "$SUB_HOME"/run/hooks/*)`],
  ])('does not call it once %s is killed in the middle', async (_name, kill) => {
    const status = await stage.runSub('status', '--json');
    const pid = join(stage.sub.root, 'pid');
    writeFileSync(pid, String(JSON.parse(status.stdout).pid));
    stage.model.play([
      call('exec_command', { cmd: `touch before.txt; ${kill}` }),
      call('exec_command', { cmd: 'touch after.txt' }),
      { text: 'finished' },
    ]);
    const turn = await runCodex(stage, program, ['env', `SUB_PID_FILE=${pid}`]);
    expect(turn).toMatchObject({ code: 0 });
    expect([wasMade('before.txt'), wasMade('after.txt')]).toEqual([true, false]);
  });
});
