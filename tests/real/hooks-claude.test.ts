import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLedgerReader } from '@subluminal/ledger';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { bundle, deny } from '../gateway/policy-bundle.js';
import { resultsTold, runClaude, writeConfig } from './claude.js';
import { describeWith } from './client.js';
import { PINS } from './fetch.mjs';
import { ASKS, expectAskedAroundOnce, questionsOf } from './questions.js';
import { callsOf, runsOf } from './record.js';
import { eventually } from '../harness/processes.js';
import { openStage, type Stage } from './stage.js';

const POLICY = bundle(
  [
    deny(
      'no-home-removal',
      { command: { argv: ['rm -rf *'] } },
      { message: 'nothing of the home is removed', hint_text: 'name one file' },
    ),
    ASKS,
  ],
  { mode: 'control' },
);
const Context = z.looseObject({ call: z.looseObject({ context: z.unknown() }) });
const call = (tool: string, input: object, server?: string) => ({
  calls: [{ tool, input, ...(server === undefined ? {} : { server }) }],
});
const SETTINGS =
  '{\n  "model": "opus",\n  "hooks": {"Stop": [{"hooks": [{"type":"command","command":"true"}]}]}\n}\n';
/** A hook of the user's own that lets everything through. */
const ALLOWS = {
  hooks: {
    PreToolUse: [
      {
        matcher: '*',
        hooks: [
          {
            type: 'command',
            command: `echo '${JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow', permissionDecisionReason: 'mine' } })}'`,
          },
        ],
      },
    ],
  },
};
const BYPASS = ['--permission-mode', 'bypassPermissions'];

/** The client's words on the refused calls of a run. */
function refusedOf(stage: Stage, run: string): unknown[] {
  const reader = openLedgerReader(stage.sub.ledger);
  const { rows } = reader.byRun(run, { order: 'asc', limit: 1000 });
  reader.close();
  return rows.flatMap(({ type, data, seq }) => {
    const decision = rows.find((row) => row.type === 'tool_call_decision' && row.seq === seq + 1);
    if (type !== 'tool_call_start' || decision?.code !== 'REJECT_WITH_HINT') return [];
    return [Context.parse(data).call.context];
  });
}

describeWith(PINS.claude, 'with hooks', ({ program }) => {
  let stage: Stage;
  let settings: string;

  beforeAll(async () => {
    stage = await openStage(POLICY);
    writeConfig(stage);
    mkdirSync(join(stage.user, '.claude'), { recursive: true });
    settings = join(stage.user, '.claude/settings.json');
    writeFileSync(settings, SETTINGS);
    expect(await stage.runSub('import', 'claude')).toMatchObject({ code: 0 });
  }, 180_000);
  afterAll(() => stage.close(), 60_000);

  it('gets its settings back byte for byte while nobody else has written them', async () => {
    expect(await stage.runSub('hooks', 'install', 'claude')).toMatchObject({ code: 0 });
    expect(readFileSync(settings, 'utf8')).toContain('/hook/claude');
    expect(await stage.runSub('hooks', 'uninstall', 'claude')).toMatchObject({ code: 0 });
    expect(readFileSync(settings, 'utf8')).toBe(SETTINGS);
    expect(await stage.runSub('hooks', 'install', 'claude')).toMatchObject({ code: 0 });
  });

  it('has its own tools decided and recorded, and a refused command does not run', async () => {
    const written = join(stage.project, 'written.txt');
    const kept = join(stage.project, 'kept');
    mkdirSync(kept);
    stage.model.play([
      call('Bash', { command: 'echo hello > a.txt', description: 'says hello' }),
      call('Write', { file_path: written, content: 'one' }),
      call('Edit', { file_path: written, old_string: 'one', new_string: 'two' }),
      call('Bash', { command: 'rm -rf kept' }),
      call('Bash', { command: 'exit 3' }),
      call('WebFetch', { url: 'http://example.com/x', prompt: 'read' }),
      call('echo', { message: 'over mcp' }, 'everything'),
      { text: 'finished' },
    ]);
    const turn = await runClaude(stage, program, [], BYPASS);
    expect(turn).toMatchObject({ code: 0 });
    const told = resultsTold(stage.model.asked);
    expect(existsSync(kept)).toBe(true);
    expect(readFileSync(written, 'utf8')).toBe('two');
    expect(JSON.stringify(told[3])).toContain('nothing of the home is removed; hint: name one file');

    const [run, ...others] = await runsOf(stage);
    expect(others).toEqual([]);
    expect(run).toMatchObject({ client: 'claude', attested: false });
    const calls = await callsOf(stage, run?.run_id ?? '');
    expect(
      calls.map(({ server_name: server, tool_name: tool, decision }) => [server, tool, decision]),
    ).toEqual([
      ['claude:builtin', 'Bash', 'ALLOW'],
      ['claude:builtin', 'Write', 'ALLOW'],
      ['claude:builtin', 'Edit', 'ALLOW'],
      ['claude:builtin', 'Bash', 'REJECT_WITH_HINT'],
      ['claude:builtin', 'Bash', 'ALLOW'],
      ['claude:builtin', 'WebFetch', 'ALLOW'],
      ['everything', 'echo', 'ALLOW'],
    ]);
    const reader = openLedgerReader(stage.sub.ledger);
    const { rows } = reader.byRun(run?.run_id ?? '', { order: 'asc', limit: 1000 });
    reader.close();
    const starts = rows.filter(({ type }) => type === 'tool_call_start');
    expect(starts[0]?.data).toMatchObject({
      call: {
        via: 'claude_hook',
        transport: 'unknown',
        cwd: stage.project,
        context: { permission_mode: 'bypassPermissions' },
      },
    });
    const ends = rows.filter(({ type }) => type === 'tool_call_end');
    expect(ends.map(({ code }) => code)).toEqual(['OK', 'OK', 'OK', 'ERROR', 'ERROR', 'ERROR', 'OK']);
    const events = rows.filter(({ type }) => type === 'hook_event').map(({ data }) => data['hook']);
    expect(events).toMatchObject([
      { event: 'SessionStart' },
      ...events.slice(1, -2),
      { event: 'Stop' },
      { event: 'SessionEnd' },
    ]);
    expect(events).toContainEqual(expect.objectContaining({ event: 'PreToolUse', linked: true }));
    expect(JSON.stringify(rows)).not.toContain('do what you were told');
    expect(await stage.runSub('audit', 'verify')).toMatchObject({ code: 0 });
  });

  it.each(['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'])(
    'does not run what is refused in the permission mode `%s`, whatever a hook of the user says',
    async (mode) => {
      const kept = join(stage.project, `kept-${mode}`);
      mkdirSync(kept);
      stage.model.play([call('Bash', { command: `rm -rf kept-${mode}` }), { text: 'finished' }]);
      const more = ['--permission-mode', mode, '--settings', JSON.stringify(ALLOWS)];
      expect(await runClaude(stage, program, [], more)).toMatchObject({ code: 0 });
      expect(existsSync(kept)).toBe(true);
      expect(JSON.stringify(resultsTold(stage.model.asked))).toContain('nothing of the home is removed');
    },
  );

  it('does not run a command with half of a character, which cannot be judged', async () => {
    const input = { command: 'touch odd # \ud800' };
    stage.model.play([call('Bash', input), { text: 'finished' }]);
    expect(await runClaude(stage, program, [], BYPASS)).toMatchObject({ code: 0 });
    expect(existsSync(join(stage.project, 'odd'))).toBe(false);
    expect(JSON.stringify(resultsTold(stage.model.asked))).toContain('no JSON that has one meaning');
  });

  it('has the calls of a subagent and of a resumed session decided, each by its name', async () => {
    const kept = join(stage.project, 'kept-sub');
    mkdirSync(kept);
    stage.model.play([
      call('Agent', {
        description: 'd',
        prompt: 'go',
        subagent_type: 'general-purpose',
        run_in_background: false,
      }),
      call('Bash', { command: 'rm -rf kept-sub' }),
      { text: 'the subagent is done' },
      { text: 'finished' },
    ]);
    const first = await runClaude(stage, program, [], BYPASS);
    expect(first).toMatchObject({ code: 0 });
    const session = JSON.parse(first.stdout.split('\n')[0] ?? '').session_id;
    stage.model.play([call('Bash', { command: 'rm -rf kept-sub' }), { text: 'finished' }]);
    expect(await runClaude(stage, program, [], [...BYPASS, '--resume', session])).toMatchObject({ code: 0 });
    expect(existsSync(kept)).toBe(true);
    const runs = await runsOf(stage);
    const refused = runs.slice(0, 2).flatMap(({ run_id: run }) => refusedOf(stage, run));
    expect(refused).toHaveLength(2);
    expect(refused[0]).toMatchObject({ session });
    expect(refused[1]).toMatchObject({ agent_type: 'general-purpose', session });
  });

  it('tells its model that a person was asked, and makes the call once they have said yes', async () => {
    stage.model.play([
      call('Bash', { command: 'touch asked.txt', description: 'asks' }),
      call('Bash', { command: 'for i in $(seq 300); do [ -e answered ] && break; sleep 0.1; done' }),
      call('Bash', { command: 'touch asked.txt', description: 'in other words' }),
      call('Bash', { command: 'touch asked.txt' }),
      { text: 'finished' },
    ]);
    const turn = runClaude(stage, program, [], BYPASS);
    const [question] = await questionsOf(stage, 'touch asked.txt', 1);
    const id = question?.id ?? '';
    const shown = await stage.runSub('approvals', 'show', id);
    expect(shown.stdout).toMatch(/what +touch asked\.txt in [^]*\nwhy +rule pushes: this is asked about\n/);
    expect(await stage.runSub('approvals', 'approve', id)).toMatchObject({ code: 0 });
    writeFileSync(join(stage.project, 'answered'), '');
    expect(await turn).toMatchObject({ code: 0 });
    expectAskedAroundOnce(stage, resultsTold(stage.model.asked));
  });

  it('beside another that asks for the same gets a question of its own, whose yes is no yes for the other', async () => {
    const name = 'asked-by-two.txt';
    const asks = (until: string) => [
      call('Bash', { command: `touch ${name}` }),
      call('Bash', { command: `for i in $(seq 600); do [ -e ${until} ] && break; sleep 0.1; done` }),
    ];
    const [first, second] = ['go-first', 'go-second'];
    stage.model.play(asks(first));
    const one = runClaude(stage, program, [], BYPASS);
    const [before] = await questionsOf(stage, name, 1);
    await eventually('the first waits', () => stage.model.asked.length >= 2, 30_000);
    stage.model.play(asks(second));
    const other = runClaude(stage, program, [], BYPASS);
    const both = await questionsOf(stage, name, 2);
    const after = both.find(({ id }) => id !== before?.id);
    expect(after?.run_id).not.toBe(before?.run_id);
    await eventually('the second waits', () => stage.model.asked.length >= 2, 30_000);
    expect(await stage.runSub('approvals', 'approve', after?.id ?? '')).toMatchObject({ code: 0 });

    stage.model.play([call('Bash', { command: `touch ${name}` }), { text: 'finished' }]);
    writeFileSync(join(stage.project, first), '');
    expect(await one).toMatchObject({ code: 0 });
    expect(existsSync(join(stage.project, name))).toBe(false);
    stage.model.play([call('Bash', { command: `touch ${name}` }), { text: 'finished' }]);
    writeFileSync(join(stage.project, second), '');
    expect(await other).toMatchObject({ code: 0 });
    expect(existsSync(join(stage.project, name))).toBe(true);
  });

  it('keeps what it has written into its settings itself when the hooks are taken out', async () => {
    const before = JSON.parse(readFileSync(settings, 'utf8'));
    expect(await stage.runSub('hooks', 'uninstall', 'claude')).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(settings, 'utf8'))).toEqual({
      ...before,
      hooks: JSON.parse(SETTINGS).hooks,
    });
  });
});

describeWith(PINS.claude, 'with hooks and without a gateway', ({ program }) => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await openStage(POLICY);
    writeConfig(stage);
    mkdirSync(join(stage.user, '.claude'), { recursive: true });
    expect(await stage.runSub('hooks', 'install', 'claude', '--block-when-away', 'Bash')).toMatchObject({
      code: 0,
    });
    writeFileSync(join(stage.sub.home, 'config.toml'), 'autostart = false\n', { mode: 0o600 });
    expect(await stage.runSub('down')).toMatchObject({ code: 0 });
  }, 180_000);
  afterAll(() => stage.close(), 60_000);

  it('does not call the tools that the operator named, and goes on with the others', async () => {
    stage.model.play([
      call('Bash', { command: 'touch ran.txt' }),
      call('Write', { file_path: join(stage.project, 'written.txt'), content: 'x' }),
      { text: 'finished' },
    ]);
    expect(await runClaude(stage, program, [], BYPASS)).toMatchObject({ code: 0 });
    expect(existsSync(join(stage.project, 'ran.txt'))).toBe(false);
    expect(existsSync(join(stage.project, 'written.txt'))).toBe(true);
  });

  it('that is killed in the middle is away from then on', async () => {
    expect(await stage.runSub('up')).toMatchObject({ code: 0 });
    stage.model.play([
      call('Bash', { command: 'touch before.txt && kill -9 $(cat "$SUB_PID_FILE")' }),
      call('Bash', { command: 'touch after.txt' }),
      { text: 'finished' },
    ]);
    const pid = join(stage.sub.root, 'pid');
    const status = await stage.runSub('status', '--json');
    writeFileSync(pid, String(JSON.parse(status.stdout).pid));
    expect(await runClaude(stage, program, ['env', `SUB_PID_FILE=${pid}`], BYPASS)).toMatchObject({
      code: 0,
    });
    expect(existsSync(join(stage.project, 'before.txt'))).toBe(true);
    expect(existsSync(join(stage.project, 'after.txt'))).toBe(false);
  });
});
