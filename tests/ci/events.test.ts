import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SublEvent } from '@subluminal/core-types';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, stopGateway, type TestHome } from '../harness/home.js';
import { eventually } from '../harness/processes.js';
import { runSub } from '../harness/resident.js';
import { finished, SUB } from '../harness/sub.js';
import { bundle, deny } from '../gateway/policy-bundle.js';
import { agentCommand, eventsOf, type AgentOptions, type Step } from './agent.js';

const node = process.execPath;

let home: TestHome;
beforeAll(async () => {
  home = createHome({ policy: bundle([deny('no-removing', 'remove')]) });
  expect(await runSub(['up', '--home', home.home])).toMatchObject({ code: 0 });
});
afterAll(() => home.remove());

const agent = (steps: readonly Step[], options?: AgentOptions) => agentCommand(home.home, steps, options);
const run = (flags: readonly string[], command: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  runSub(['run', '--home', home.home, ...flags, '--', ...command], {
    env: { ...process.env, GITHUB_ACTIONS: '', ...env },
  });

/** What the ledger has of the newest run, oldest first. */
async function recorded(): Promise<Record<string, unknown>[]> {
  const runs = await runSub(['runs', '--home', home.home, '--json', '--limit', '1']);
  const { run_id: id }: { run_id: string } = JSON.parse(runs.stdout);
  const tail = await runSub([
    'tail',
    '--home',
    home.home,
    '--json',
    '--no-follow',
    '-n',
    '1000',
    '--run',
    id,
  ]);
  // The object of a call is of the lines of `tail` alone, and of no event of the contracts.
  return eventsOf(tail.stdout).map(({ call, ...event }) => {
    if (typeof call !== 'object' || call === null) return event;
    return { ...event, call: Object.fromEntries(Object.entries(call).filter(([key]) => key !== 'object')) };
  });
}

describe('sub run --events', () => {
  it('writes every event of the run on stdout, and what the command says there on stderr', async () => {
    const outcome = await run(
      ['--events', '-', '--meta', 'issue_id=42', '--meta', 'task=a=b'],
      agent([{ tool: 'say', times: 3 }, { tool: 'remove' }]),
    );
    expect(outcome.code).toBe(0);
    const events = eventsOf(outcome.stdout);
    expect(events).toEqual(await recorded());
    expect(events[0]).toMatchObject({ run: { meta: { issue_id: '42', task: 'a=b' } } });
    expect(events.map(({ type }) => type)).toEqual([
      'run_start',
      ...Array.from({ length: 3 }, () => ['tool_call_start', 'tool_call_decision', 'tool_call_end']).flat(),
      'tool_call_start',
      'tool_call_decision',
      'tool_call_end',
      'run_end',
    ]);
    expect(outcome.stderr).toContain('answer [{"type":"text","text":"say {}"}]\n');
  });

  it('creates its file for the owner alone, and appends to one that is there', async () => {
    const file = join(home.root, 'events.jsonl');
    expect(await run(['--events', file], [node, '-e', 'console.log(1)'])).toMatchObject({
      code: 0,
      stdout: '1\n',
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    writeFileSync(file, '{"cut":"of', { flag: 'a' });
    expect(await run(['--events', file], [node, '-e', ''])).toMatchObject({ code: 0 });
    const lines = readFileSync(file, 'utf8').split('\n');
    expect(lines.map((line) => /"type":"(\w+)"/.exec(line)?.[1] ?? line)).toEqual([
      'run_start',
      'run_end',
      '{"cut":"of',
      'run_start',
      'run_end',
      '',
    ]);
  });

  it('does not start the agent where the file cannot be opened', async () => {
    const mark = join(home.root, 'started');
    const outcome = await run(
      ['--events', join(home.root, 'no', 'such', 'folder.jsonl')],
      [node, '-e', `require('fs').writeFileSync(${JSON.stringify(mark)}, '')`],
    );
    expect(outcome.code).toBe(1);
    expect(outcome.stderr).toContain('no such file or folder');
    expect(existsSync(mark)).toBe(false);
  });

  it('writes while the agent works', async () => {
    const file = join(home.root, 'live.jsonl');
    const go = join(home.root, 'go');
    const outcome = run(['--events', file], agent([{ tool: 'say' }], { wait: go }));
    await eventually(
      'the run has begun',
      () => existsSync(file) && readFileSync(file, 'utf8').includes('run_start'),
    );
    writeFileSync(go, '');
    expect((await outcome).code).toBe(0);
    expect(eventsOf(readFileSync(file, 'utf8')).at(-1)).toMatchObject({ type: 'run_end' });
  });

  it('fails the job, and lets the agent work to its end, where nobody reads the events any more', async () => {
    const mark = join(home.root, 'agent-done');
    const script = `setTimeout(() => require('fs').writeFileSync(${JSON.stringify(mark)}, ''), 1000)`;
    const child = spawn(node, [SUB, 'run', '--home', home.home, '--events', '-', '--', node, '-e', script], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.destroy();
    const outcome = await finished(child, 30_000);
    expect(existsSync(mark)).toBe(true);
    expect(outcome.code).toBe(1);
    expect(outcome.stderr).toContain(
      'the events of the run are not complete: `stdout` ends early, nobody reads it any more',
    );
  });

  it.runIf(existsSync('/dev/full'))('fails the job where the disk is full', async () => {
    const outcome = await run(['--events', '/dev/full'], [node, '-e', 'console.log("worked")']);
    expect(outcome).toMatchObject({ code: 1, stdout: 'worked\n' });
    expect(outcome.stderr).toContain('`/dev/full` ends early, the disk is full');
    expect((await run(['--events', '/dev/full'], [node, '-e', 'process.exit(7)'])).code).toBe(7);
  });

  it('is refused inside a run, and nothing of it starts', async () => {
    const inner = [
      node,
      SUB,
      'run',
      '--home',
      home.home,
      '--strict',
      '--',
      node,
      '-e',
      'console.log("inner")',
    ];
    const outcome = await run([], inner);
    expect(outcome).toMatchObject({ code: 3, stdout: '' });
    expect(outcome.stderr).toContain('error[inside_run]: `--strict` is for a run of its own');
  });
});

describe('sub run --policy', () => {
  const policyFile = (text: string): string => {
    const path = join(home.root, `own-${(files += 1)}.yaml`);
    writeFileSync(path, text);
    return path;
  };
  let files = 0;

  it('narrows what the policy of the home leaves, and the record tells which of them refused', async () => {
    const file = policyFile(bundle([deny('not-here', 'say')], { policy_id: 'own', version: '3' }));
    const steps = [{ tool: 'say' }, { tool: 'remove' }];
    const outcome = await run(['--strict', '--events', '-', '--policy', file], agent(steps));
    expect(outcome.code).toBe(3);
    expect(outcome.stderr).toContain('  refused small/say: rule not-here: not-here says no\n');
    expect(outcome.stderr).toContain('  refused small/remove: rule no-removing: no-removing says no\n');
    const events = eventsOf(outcome.stdout);
    expect(events[1]).toMatchObject({
      type: 'policy_loaded',
      source: { host_id: expect.any(String) },
      policy: { policy_id: 'own' },
    });
    expect(events.filter((event) => !SublEvent.safeParse(event).success)).toEqual([]);
    const decisions = events.filter(({ type }) => type === 'tool_call_decision');
    expect(decisions).toMatchObject([
      { policy: { policy_id: 'own' }, facts: { policies: { by: 'run', home: { action: 'ALLOW' } } } },
      { policy: { policy_id: 'limits' }, facts: { policies: { by: 'home', run: { action: 'ALLOW' } } } },
    ]);
    const [id] = decisions.map((decision) => (decision['call'] as { call_id: string }).call_id);
    const ask = (...argv: string[]) => runSub([...argv, '--home', home.home]);
    const explained = await ask('policy', 'explain', id ?? '');
    expect(explained.stdout).toContain('own 3, mode guardrails, which the run was given');
    expect(explained.stdout).toContain('the policy of the home said allowed');
    expect((await ask('show', id ?? '')).stdout).toContain('not-here (of the policy that the run was given)');
    const query = await ask('query', '--limit', '1', '--tool', 'say', '--json');
    expect(JSON.parse(query.stdout)).toMatchObject({ rule_id: 'not-here', rule_of: 'run' });
    const persisted = await ask('hints', 'promote', id ?? '', '--persist', '--yes');
    expect(persisted).toMatchObject({ code: 1 });
    expect(persisted.stderr).toContain('refused by the policy that its run was given');
  });

  it('with a mistake starts nothing, and says where it is', async () => {
    const file = policyFile('policy_id: own\nversion: 1\nmode: perhaps\n');
    const outcome = await run(['--policy', file], [node, '-e', 'console.log("started")']);
    expect(outcome).toMatchObject({ code: 2, stdout: '' });
    expect(outcome.stderr).toContain(`${file}:3:7: error[`);
  });

  it('is refused inside a run: the outer one has its policy', async () => {
    const file = policyFile(bundle([]));
    const inner = [
      node,
      SUB,
      'run',
      '--home',
      home.home,
      '--policy',
      file,
      '--',
      node,
      '-e',
      'console.log(1)',
    ];
    const outcome = await run([], inner);
    expect(outcome).toMatchObject({ code: 3, stdout: '' });
    expect(outcome.stderr).toContain('error[inside_run]: `--policy` is for a run of its own');
  });
});

describe('sub run --strict', () => {
  it('passes the exit code of the command through where there is no violation', async () => {
    expect(await run(['--strict'], agent([{ tool: 'say' }]))).toMatchObject({ code: 0 });
    expect(await run(['--strict'], agent([{ tool: 'say' }], { exit: 9 }))).toMatchObject({ code: 9 });
  });

  it('fails the job with 5 where no server of the run was behind the gateway', async () => {
    const note = 'error[gateway_unreachable]: no server of this run was behind the gateway';
    for (const ends of ['', 'process.exit(4)']) {
      const past = await run(['--strict'], [node, '-e', ends]);
      expect([past.code, past.stderr]).toEqual([5, expect.stringContaining(note)]);
    }
    expect((await run([], [node, '-e', ''])).code).toBe(0);
    expect((await run(['--strict'], agent([{ tool: 'say' }]))).stderr).not.toContain(note);
  });

  it('names the home that a server of the client is routed to, where that is another', async () => {
    const user = join(home.root, 'other-user');
    mkdirSync(user);
    const [, ...args] = ['sub', 'shim', 'stdio', '--server', 'notes', '--home', '/other', '--', 'true'];
    const file = { mcpServers: { notes: { command: 'sub', args } } };
    writeFileSync(join(user, '.claude.json'), JSON.stringify(file));
    const past = await run(['--strict'], [node, '-e', ''], { HOME: user });
    expect(past.code).toBe(5);
    expect(past.stderr).toContain('`notes` of claude is routed: it passes through another home, `/other`');
  });

  it('takes no advice of a file of the project on which home to use', async () => {
    const cwd = join(home.root, 'checkout');
    mkdirSync(cwd);
    const args = ['shim', 'stdio', '--server', 'notes', '--home', '/theirs', '--', 'true'];
    writeFileSync(
      join(cwd, '.mcp.json'),
      JSON.stringify({ mcpServers: { notes: { command: 'sub', args } } }),
    );
    const past = await runSub(['run', '--home', home.home, '--strict', '--', node, '-e', ''], {
      cwd,
      env: { ...process.env, HOME: cwd },
    });
    expect([past.code, past.stderr]).toEqual([5, expect.stringContaining('sub import CLIENT')]);
    expect(past.stderr).not.toMatch(/theirs|notes/);
  });

  it('fails the job with 3 and says why, also when the agent ignores refusals and exits 0', async () => {
    const outcome = await run(['--strict'], agent([{ tool: 'remove', times: 3 }, { tool: 'say' }]));
    expect(outcome.code).toBe(3);
    expect(outcome.stderr).toContain('sub: strict: 3 violations\n');
    expect(outcome.stderr).toContain(
      '  refused small/remove: rule no-removing: no-removing says no (3 times)\n',
    );
    expect(outcome.stderr).toMatch(/help: `sub query --run [0-9A-Z]{26} --refused`\n/);
    expect(outcome.stderr).not.toContain('::error');
  });

  it('annotates a GitHub job, and lets no name of a tool give the runner a command', async () => {
    const tool = '::warning::x ##[stop-commands]a::set-output name=a,::b%';
    const policy = bundle([deny('nothing-odd', '*warning*')]);
    const other = createHome({ policy });
    try {
      const outcome = await runSub(
        ['run', '--home', other.home, '--strict', '--', ...agentCommand(other.home, [{ tool }])],
        { env: { ...process.env, GITHUB_ACTIONS: 'true' } },
      );
      expect(outcome.code).toBe(3);
      expect(outcome.stderr).not.toContain('##');
      const commands = outcome.stderr.split('\n').filter((line) => line.trimStart().startsWith('::'));
      expect(commands).toEqual([
        '::error title=refused small/%3A%3Awarning%3A%3Ax #\\x23[stop-commands]a%3A%3Aset-output name=a%2C%3A%3Ab%25' +
          '::refused small/::warning::x #\\x23[stop-commands]a::set-output name=a,::b%25: rule nothing-odd: nothing-odd says no',
      ]);
    } finally {
      await other.remove();
    }
  });

  it('fails the job with 5 when the gateway dies meanwhile: what was asked in between is not recorded', async () => {
    const go = join(home.root, 'go-after-death');
    const events = join(home.root, 'death.jsonl');
    const outcome = run(['--strict', '--events', events], agent([{ tool: 'say' }], { wait: go }));
    await eventually(
      'the run has begun',
      () => existsSync(events) && readFileSync(events, 'utf8').includes('run_start'),
    );
    await stopGateway(home.home, 'SIGKILL');
    writeFileSync(go, '');
    const { code, stderr } = await outcome;
    expect({ code, stderr }).toMatchObject({ code: 5 });
    expect(stderr).toContain('the gateway was restarted during the run');
    expect(eventsOf(readFileSync(events, 'utf8')).at(-1)).toMatchObject({ type: 'run_end' });
  });

  it.runIf(process.platform === 'linux')(
    'fails the job with 3 when a server leaves the run for one of its own; `sub run` keeps the run that it left',
    async () => {
      for (const [name, left, told] of [
        [
          'server',
          agent([{ tool: 'say' }], { ready: join(home.root, 'left-server') }),
          { code: 3, stderr: expect.stringContaining('  no ticket ') },
        ],
        [
          'run',
          [node, SUB, 'run', '--home', home.home, '--', 'touch', join(home.root, 'left-run')],
          // Nothing of it was behind the gateway.
          { code: 5, stderr: expect.not.stringContaining('  no ticket ') },
        ],
      ] as const) {
        const script = `mark="$1"; shift; setsid -f "$@" </dev/null >/dev/null 2>&1; until [ -e "$mark" ]; do sleep 0.1; done`;
        const command = ['/bin/sh', '-c', script, 'sh', join(home.root, `left-${name}`), ...left];
        const { code, stderr } = await run(['--strict'], command);
        expect({ code, stderr }).toMatchObject(told);
      }
    },
  );

  it('fails the job with 5 when the agent ends its own run, and goes on outside of it', async () => {
    // As an agent does that speaks to the gateway itself, with the ticket of its run.
    const script = `
      import { connectGateway, findTicket, homePaths } from ${JSON.stringify(import.meta.resolve('@subluminal/ipc'))};
      const { socket, ...paths } = homePaths(${JSON.stringify(home.home)});
      const { credential } = findTicket({ socket, ...paths }).ticket;
      const client = await connectGateway({ socketPath: socket, gatewayFile: paths.gatewayFile, credential, clock: Date.now });
      await client.request('run.end', { status: 'SUCCEEDED' });
      client.close();`;
    const ending = [node, '--input-type=module', '-e', script];
    const outcome = await run(['--strict'], ending);
    expect(outcome).toMatchObject({ code: 5 });
    expect(outcome.stderr).toContain('error[run_ended]: the run was ended before its command was');
    expect(await run([], ending)).toMatchObject({ code: 0 });
  });

  it('fails the job with 5 when no gateway can tell how the run ended', async () => {
    const other = createHome({ config: 'autostart = false\n' });
    mkdirSync(other.root, { recursive: true });
    try {
      expect(await runSub(['up', '--home', other.home])).toMatchObject({ code: 0 });
      const mark = join(other.root, 'there');
      const script = `require('fs').writeFileSync(${JSON.stringify(mark)}, ''); setTimeout(() => {}, 1500)`;
      const outcome = runSub(['run', '--home', other.home, '--strict', '--', node, '-e', script]);
      await eventually('the command works', () => existsSync(mark));
      await stopGateway(other.home, 'SIGKILL');
      const { code, stderr } = await outcome;
      expect({ code, stderr }).toMatchObject({ code: 5 });
      expect(stderr).toContain('the record of the run is not whole');
    } finally {
      await other.remove();
    }
  });
});
