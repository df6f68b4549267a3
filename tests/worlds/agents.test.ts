import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chownSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LedgerRow } from '@subluminal/ledger';
import { ACTIONS, WORLD_ACTIONS } from '@subluminal/core-types';
import { connectGateway, credentialOf, homePaths } from '@subluminal/ipc';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { eventually } from '../harness/processes.js';
import { bundle, deny } from '../gateway/policy-bundle.js';
import { describeWith } from '../real/client.js';
import { resultsTold as claudeResults, QUIET } from '../real/claude.js';
import { resultsTold as codexResults } from '../real/codex.js';
import { PINS } from '../real/fetch.mjs';
import { type Model, startModel } from '../real/model/model.js';
import { type Ended, Stage, USERS_AT_LENGTH, whyNoWorlds } from './kit/stage.js';

vi.setConfig({ hookTimeout: 240_000, testTimeout: 240_000 });

const why = whyNoWorlds();
const absent = why === undefined ? '' : ` (not here: ${why})`;
const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
const MODULES = join(REPOSITORY, 'node_modules');
const EVERYTHING = join(MODULES, '@modelcontextprotocol/server-everything/dist/index.js');
const ROGUE = fileURLToPath(new URL('kit/rogue-agent.mjs', import.meta.url));
const POLICY = bundle(
  [deny('no-removal', { command: { argv: ['rm -rf *'] } }, { message: 'nothing is removed here' })],
  { mode: 'control' },
);
const call = (tool: string, input: object | string, server?: string) => ({
  calls: [{ tool, input, ...(server === undefined ? {} : { server }) }],
});
const PASSED = [...Object.keys(QUIET), 'ANTHROPIC_BASE_URL', 'SCRIPTED_KEY'];
const BINDING = `
[[secret_bindings]]
server_name = "mail"
inject_as = "MAIL_TOKEN"
secret_ref = "MAIL"
source = "file"
command = ["/bin/true"]
`;
/** Looks where a secret may be, without the words by which a transcript of it would be found. */
const SEARCH = [
  'p=canary; env | grep -- "$p-[fe]"',
  'cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr "\\0" "\\n" | grep -- "$p-[fe]"',
  'grep -rsIl -e "$p-[fe]" /etc /home /root /nonexistent /var /run /srv /mnt /tmp /opt 2>/dev/null | head',
  'find / -path /proc -prune -o \\( -type s -o -name "*.sock" \\) -print 2>/dev/null',
  'curl -sm3 -o /dev/null -w "metadata %{http_code}" http://169.254.169.254/latest/meta-data/',
  'echo; echo searched',
].join('; ');
/** A program that a client has started asks as the client does. */
const SPEAK =
  'curl -sm9 -o /dev/null -w "hook %{http_code}" -H "Authorization: Bearer world" -d "{}" $(grep -o "http://127.0.0.1:[0-9]*/hook/claude" "$HOME/.claude/settings.json" | head -1)';
const COMMIT =
  'git init -q . && git add new.txt test.sh && git -c user.name=a -c user.email=a@b.test commit -qm one';

/** A user with a client, its settings, and secrets around it. */
class AgentStage {
  readonly stage: Stage;
  readonly user: string;
  readonly program: string;
  readonly #uid: number | undefined;
  /** Variables of the user's shell. */
  readonly #more: Record<string, string>;
  #model: Model | undefined;
  #port = 0;

  constructor(uid: number | undefined, name: string, program: string) {
    this.#uid = uid;
    this.#more = { ...QUIET, SCRIPTED_KEY: 'dummy' };
    this.stage = new Stage(uid, { variables: this.#more });
    this.user = join(this.stage.root, 'user');
    this.program = join(this.stage.root, name);
    this.#more['HOME'] = this.user;
    for (const folder of [this.user, join(this.user, '.claude'), join(this.user, '.codex')])
      this.#folder(folder);
    try {
      linkSync(program, this.program);
    } catch {
      copyFileSync(program, this.program);
    }
    this.write(join(this.user, '.ssh'), 'canary-file');
    this.write(join(this.user, '.claude/.credentials.json'), '{"token":"canary-file"}');
    this.write(join(this.user, '.codex/auth.json'), '{"token":"canary-file"}');
    this.write(join(this.stage.project, 'test.sh'), 'grep -q two new.txt && echo the test passes\n');
  }

  async start(): Promise<void> {
    this.#model = await startModel(['/usr/bin/env']);
    this.#port = Number(new URL(this.#model.url).port);
    this.#more['ANTHROPIC_BASE_URL'] = this.url;
    await this.stage.start({ 'model.test': [{ port: this.#port }] }, POLICY);
  }

  get url(): string {
    return `http://model.test:${this.#port}`;
  }

  write(path: string, text: string): void {
    writeFileSync(path, text, { mode: 0o600 });
    if (this.#uid !== undefined) chownSync(path, this.#uid, this.#uid);
  }

  #folder(path: string): void {
    mkdirSync(path);
    if (this.#uid !== undefined) chownSync(path, this.#uid, this.#uid);
  }

  /** Routes the client's servers, and has its hooks ask the gateway. */
  async prepare(client: string): Promise<void> {
    for (const words of [
      ['import', client],
      ['hooks', 'install', client],
    ])
      expect(await this.stage.sub(...words)).toMatchObject({ code: 0 });
  }

  play(steps: Parameters<Model['play']>[0]): void {
    this.#model?.play(steps);
  }

  get asked(): Model['asked'] {
    return this.#model?.asked ?? [];
  }

  run(...words: readonly string[]): Promise<Ended> {
    const flags = ['--read', MODULES, ...PASSED.flatMap((name) => ['--pass', name])];
    return this.stage.sub('run', '--world', ...flags, ...words);
  }

  /** Has the project get what the run has changed; gives what it said of that, and what was there before. */
  async takeOver(): Promise<TakenOver> {
    const before = readdirSync(this.stage.project);
    const { stdout: diff } = await this.stage.sub('world', 'diff');
    const { code: first, stdout: left } = await this.stage.sub('world', 'commit');
    const { code: second } = await this.stage.sub('world', 'commit', '--yes');
    return { before, diff, codes: [first, second], left };
  }

  /** The rows of the last run. */
  rows(): readonly LedgerRow[] {
    const rows = this.stage.rows();
    const { runId } = rows.findLast(({ type }) => type === 'run_start') ?? {};
    return rows.filter((row) => row.runId === runId);
  }

  async close(): Promise<void> {
    this.#model?.close();
    await this.stage.remove();
  }
}

/** The calls of a run, with what was decided of them. */
function callsOf(rows: readonly LedgerRow[]): unknown[] {
  return rows.flatMap((row) => {
    if (row.type !== 'tool_call_start' || typeof row.tool !== 'object' || row.tool === null) return [];
    const [server, tool] = row.tool;
    const decision = rows.find(({ type, seq }) => type === 'tool_call_decision' && seq === row.seq + 1);
    return [[server, tool, decision?.code]];
  });
}

/** Nothing but the door was found, and the metadata service is refused. */
function expectNothingFound(told: unknown, agent: AgentStage): void {
  const text = JSON.stringify(told).replaceAll(String.raw`\n`, '\n');
  expect(text).toContain('searched');
  expect(text).not.toMatch(/canary-[fe]/);
  expect(text).toContain('metadata 403');
  const sockets = Array.from(text.matchAll(/[\w./-]*(?:\.sock|\/door\/s)\b/g), (found) => found[0]);
  // Claude Code has one of its own.
  expect(sockets.filter((path) => !path.startsWith('/tmp/cc-socks/'))).toEqual([
    join(agent.stage.home, 'door/s'),
  ]);
}

/** The project before the changes of a run were taken over, and what became of that. */
interface TakenOver {
  readonly before: readonly string[];
  readonly diff: string;
  readonly codes: readonly number[];
  /** The repository that the agent has made is asked about. */
  readonly left: string;
}

function expectTakenOver({ before, diff, codes, left }: TakenOver, ended: Ended): void {
  expect(before).not.toContain('new.txt');
  expect(diff).toContain('+ new.txt\n');
  expect(ended.stderr).toMatch(/sub: \+\d+.* in layer [0-9a-f]{8}, not in the project/);
  expect([codes, left]).toEqual([
    [3, 0],
    expect.stringContaining('.git: a new git repository, whose own hooks and settings git obeys'),
  ]);
}

function expectCommitted({ stage }: AgentStage, text: string): void {
  const { project } = stage;
  expect(readFileSync(join(project, 'new.txt'), 'utf8')).toBe(text);
  const git = ['-c', 'safe.directory=*', '-C', project];
  expect(execFileSync('git', [...git, 'log', '--format=%s'], { encoding: 'utf8' })).toBe('one\n');
}

describe.skipIf(why !== undefined)(`an agent in a world${absent}`, () => {
  describe.each(USERS_AT_LENGTH)('that is started by %s', (_, uid) => {
    describeWith(PINS.claude, 'in a world', ({ program }) => {
      let agent: AgentStage;
      let told: readonly unknown[];
      let ended: Ended;
      let rows: readonly LedgerRow[];
      let taken: TakenOver;

      beforeAll(async () => {
        agent = new AgentStage(uid, 'claude', program);
        await agent.start();
        const { project } = agent.stage;
        const everything = { type: 'stdio', command: process.execPath, args: [EVERYTHING, 'stdio'] };
        const state = {
          hasCompletedOnboarding: true,
          oauthAccount: { emailAddress: 'canary-file' },
          projects: {
            [project]: { hasTrustDialogAccepted: true },
            '/somewhere/else': { history: ['canary-file'] },
          },
          mcpServers: { everything: { ...everything, env: { TOKEN: 'canary-file' } } },
        };
        const settings = { env: { ANTHROPIC_AUTH_TOKEN: 'canary-file' }, sandbox: { enabled: true } };
        agent.write(join(agent.user, '.claude.json'), JSON.stringify(state));
        agent.write(join(agent.user, '.claude/settings.json'), JSON.stringify(settings));
        await agent.prepare('claude');
        const file = join(project, 'new.txt');
        agent.play([
          call('Write', { file_path: file, content: 'one' }),
          call('Edit', { file_path: file, old_string: 'one', new_string: 'two' }),
          call('Bash', { command: 'sh test.sh' }),
          call('Bash', { command: COMMIT }),
          call('Bash', { command: 'rm -rf new.txt' }),
          call('echo', { message: 'over mcp' }, 'everything'),
          call('Bash', { command: SEARCH }),
          call('Bash', { command: SPEAK }),
          { text: 'finished' },
        ]);
        const how = ['--output-format', 'stream-json', '--verbose', '--permission-mode', 'bypassPermissions'];
        ended = await agent.run('--', agent.program, '-p', 'do it', ...how);
        told = claudeResults(agent.asked);
        rows = agent.rows();
        taken = await agent.takeOver();
      });
      afterAll(() => agent.close());

      it('changes nothing in the project until somebody takes it over', () => {
        expectTakenOver(taken, ended);
      });

      it('edits, tests and commits in its project', () => {
        expect(ended).toMatchObject({ code: 0 });
        expectCommitted(agent, 'two');
        expect(JSON.stringify(told[2])).toContain('the test passes');
      });

      it('has its own tools and those of a server inside decided, and what is refused does not happen', async () => {
        expect(callsOf(rows)).toEqual([
          ['claude:builtin', 'Write', 'ALLOW'],
          ['claude:builtin', 'Edit', 'ALLOW'],
          ['claude:builtin', 'Bash', 'ALLOW'],
          ['claude:builtin', 'Bash', 'ALLOW'],
          ['claude:builtin', 'Bash', 'BLOCK'],
          ['everything', 'echo', 'ALLOW'],
          ['claude:builtin', 'Bash', 'ALLOW'],
          ['claude:builtin', 'Bash', 'ALLOW'],
        ]);
        expect(JSON.stringify(told[7])).toContain('hook 403');
        expect(existsSync(join(agent.stage.project, 'new.txt'))).toBe(true);
        expect(JSON.stringify(told[4])).toContain('nothing is removed here');
        expect(JSON.stringify(told[5])).toContain('over mcp');
        const ends = rows.filter(({ type }) => type === 'tool_call_end').map(({ code }) => code);
        expect(ends).toEqual(['OK', 'OK', 'OK', 'OK', 'ERROR', 'OK', 'OK', 'OK']);
        // The shim of a server tells its end by itself, maybe a moment after the run's.
        await expect
          .poll(() => agent.rows().filter(({ type }) => type === 'upstream_end'))
          .toMatchObject([{ data: { cause: 'reported' } }]);
      });

      it('has its session in the record, and that its own sandbox is off', () => {
        const events = rows.filter(({ type }) => type === 'hook_event').map(({ data }) => data['hook']);
        expect(events).toContainEqual(expect.objectContaining({ event: 'SessionStart' }));
        expect(events).toContainEqual(expect.objectContaining({ event: 'PreToolUse', linked: true }));
        expect(events.at(-1)).toMatchObject({ event: 'SessionEnd' });
        expect(rows.find(({ type }) => type === 'world_begin')).toMatchObject({
          data: { network: 'full', sandbox_off: 'claude' },
        });
        expect(ended.stderr).toContain('claude’s own sandbox is off: the world stands in its place');
      });

      it('finds no secret, and is told what it goes without', () => {
        expectNothingFound(told[6], agent);
        expect(ended.stderr).toContain('claude goes into the world without its login');
        expect(ended.stderr).toContain('`ANTHROPIC_AUTH_TOKEN` of its settings, `TOKEN` of `everything`');
      });

      it('leaves the user’s own settings as they were', () => {
        const settings = readFileSync(join(agent.user, '.claude/settings.json'), 'utf8');
        expect(JSON.parse(settings)).toMatchObject({ sandbox: { enabled: true } });
        expect(existsSync(join(agent.user, '.claude/projects'))).toBe(false);
      });
    });

    describeWith(PINS.codex, 'in a world', ({ program }) => {
      let agent: AgentStage;
      let told: readonly unknown[];
      let ended: Ended;
      let rows: readonly LedgerRow[];
      let taken: TakenOver;

      beforeAll(async () => {
        agent = new AgentStage(uid, 'codex', program);
        await agent.start();
        agent.write(
          join(agent.user, '.codex/config.toml'),
          `model = "gpt-5.5"
model_provider = "scripted"
check_for_update_on_startup = false
approval_policy = "never"
sandbox_mode = "workspace-write"
web_search = "disabled"
experimental_bearer_token = "canary-file"
[analytics]
enabled = false
[feedback]
enabled = false
[features]
apps = false
[model_providers.scripted]
name = "scripted"
base_url = "${agent.url}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
request_max_retries = 0
stream_max_retries = 0
http_headers = { "x-key" = "canary-file" }
[mcp_servers.everything]
command = "${process.execPath}"
args = ["${EVERYTHING}", "stdio"]
env = { TOKEN = "canary-file" }
startup_timeout_sec = 60
required = true
[projects."${agent.stage.project}"]
trust_level = "trusted"
`,
        );
        await agent.prepare('codex');
        const patch = '*** Begin Patch\n*** Add File: new.txt\n+two\n*** End Patch';
        agent.play([
          call('apply_patch', patch),
          call('exec_command', { cmd: 'sh test.sh' }),
          call('exec_command', { cmd: COMMIT }),
          call('exec_command', { cmd: 'rm -rf new.txt' }),
          { search: 'echo' },
          call('echo', { message: 'over mcp' }, 'everything'),
          call('exec_command', { cmd: SEARCH, yield_time_ms: 30_000 }),
          { text: 'finished' },
        ]);
        ended = await agent.run('--', agent.program, 'exec', '--json', '--skip-git-repo-check', 'do it');
        told = codexResults(agent.asked);
        rows = agent.rows();
        taken = await agent.takeOver();
      });
      afterAll(() => agent.close());

      it('changes nothing in the project until somebody takes it over', () => {
        expectTakenOver(taken, ended);
      });

      it('edits, tests and commits in its project', () => {
        expect(ended).toMatchObject({ code: 0 });
        expectCommitted(agent, 'two\n');
        expect(JSON.stringify(told)).toContain('the test passes');
      });

      it('has its own tools and those of a server inside decided, and what is refused does not happen', () => {
        expect(callsOf(rows)).toEqual([
          ['codex:builtin', 'apply_patch', 'ALLOW'],
          ['codex:builtin', 'Bash', 'ALLOW'],
          ['codex:builtin', 'Bash', 'ALLOW'],
          ['codex:builtin', 'Bash', 'BLOCK'],
          ['everything', 'echo', 'ALLOW'],
          ['codex:builtin', 'Bash', 'ALLOW'],
        ]);
        expect(existsSync(join(agent.stage.project, 'new.txt'))).toBe(true);
        expect(JSON.stringify(told)).toContain('nothing is removed here');
        expect(rows.find(({ type }) => type === 'world_begin')).toMatchObject({
          data: { sandbox_off: 'codex' },
        });
      });

      it('finds no secret, and is told what it goes without', () => {
        expectNothingFound(told.at(-1), agent);
        expect(ended.stderr).toContain('codex goes into the world without its login');
        expect(ended.stderr).toContain('`TOKEN` of `everything`');
      });

      it('is not started where it asks for its own sandbox, which would fail unseen', async () => {
        expect(await agent.run('--', agent.program, 'exec', '--full-auto', 'do it')).toMatchObject({
          code: 2,
          stderr: expect.stringContaining('asks for the sandbox of Codex, which fails in a world') as string,
        });
      });
    });

    describe('and speaks to the gateway’s door by hand', () => {
      let stage: Stage;
      let said: Record<string, unknown>;
      let waited = 0;
      let [least, most] = [Infinity, 0];

      beforeAll(async () => {
        const more: Record<string, string> = {};
        stage = new Stage(uid, { variables: more });
        more['HOME'] = stage.project;
        await stage.start({});
        expect(await stage.sub('hooks', 'install', 'claude')).toMatchObject({ code: 0 });
        const settings = readFileSync(join(stage.project, '.claude/settings.json'), 'utf8');
        const [, port = ''] = /127\.0\.0\.1:([0-9]+)/.exec(settings) ?? [];
        appendFileSync(
          join(stage.home, 'config.toml'),
          BINDING.replace('MAIL"\nsource', `${join(stage.root, 'mail')}"\nsource`),
        );
        writeFileSync(join(stage.root, 'mail'), 'canary-secret', { mode: 0o600 });
        if (uid !== undefined) chownSync(join(stage.root, 'mail'), uid, uid);
        await stage.inWorld('true');
        const other = stage.rows().find(({ type }) => type === 'run_start')?.runId ?? '';
        const running = stage.sub(
          ...['run', '--world', '--read', REPOSITORY, '--', process.execPath].concat(
            ROGUE,
            stage.home,
            other,
            port,
          ),
        );
        const done = running.then(() => true);
        while (!(await Promise.race([done, new Promise<false>((go) => setTimeout(() => go(false), 100))]))) {
          const started = performance.now();
          expect(await stage.sub('status', '--json')).toMatchObject({ code: 0 });
          waited = Math.max(waited, performance.now() - started);
          const [, pages] = readFileSync(`/proc/${stage.gatewayPid}/statm`, 'utf8').split(' ');
          [least, most] = [Math.min(least, Number(pages)), Math.max(most, Number(pages))];
        }
        const { stdout, stderr } = await running;
        if (stdout === '') throw new Error(stderr);
        said = JSON.parse(stdout) as Record<string, unknown>;
      });
      afterAll(() => stage.remove());

      it('is let in as its own run, and as nobody else', () => {
        expect(said).toMatchObject({
          operator: 'gateway_unreachable',
          enrol: 'gateway_unreachable',
          'another run': 'gateway_unreachable',
          'its own run, as another epoch': 'gateway_unreachable',
        });
      });

      it('may ask for what servers and hooks ask for, and for nothing of the operator’s', () => {
        const actions = said['actions'] as Record<string, string>;
        expect(Object.keys(actions)).toEqual(Object.keys(ACTIONS));
        const taken = Object.keys(actions).filter((action) => actions[action] !== 'not_permitted');
        expect(taken.toSorted()).toEqual([...WORLD_ACTIONS].toSorted());
        expect(actions['run.read']).toBe('success');
      });

      it('gets no secret of a server, whatever it says it is', () => {
        expect(said['a secret']).toEqual([
          'success',
          expect.stringContaining('no secret goes into the world of an agent'),
          false,
        ]);
      });

      it('is answered by the hooks’ door as every program is, and floods it in vain', () => {
        expect(said['hooks']).toEqual([400, 401, 403, 200]);
      });

      it('gets one meaning of its bodies, or none, and no more of them than an event has', () => {
        expect(said['bodies']).toEqual([
          '400',
          '200 denied',
          '0',
          '431',
          '200 denied',
          '200 denied',
          '200 denied',
        ]);
        expect(said['a frame of 4 GiB']).toBe('hung up');
      });

      it('has the gateway keep no answers that nobody reads', () => {
        expect(((most - least) * 4096) / 1_048_576).toBeLessThan(400);
      });

      it('is not let in by that door with any other key', async () => {
        const { operatorKey, enrolKey, agentDoorsDir } = homePaths(stage.home);
        const inside = stage.sub('run', '--world', '--', 'sh', '-c', 'echo here; sleep 3');
        const doors = (): readonly string[] =>
          existsSync(agentDoorsDir)
            ? readdirSync(agentDoorsDir)
                .map((name) => join(agentDoorsDir, name, 's'))
                .filter((path) => existsSync(path))
            : [];
        await eventually('the door is there', () => doors().length > 0);
        const [socketPath = ''] = doors();
        const shown: unknown[] = [];
        for (const key of [operatorKey, enrolKey]) {
          // As root, to whom the file of a plain user is not its own.
          const credential = credentialOf(JSON.parse(readFileSync(key, 'utf8')));
          if (credential === undefined) throw new Error('there is no key');
          const client = await connectGateway({ socketPath, credential, clock: Date.now });
          shown.push(await client.request('gateway.status', {}).catch((error: unknown) => error));
          client.close();
        }
        expect(shown).toMatchObject([{ code: 'handshake_refused' }, { code: 'handshake_refused' }]);
        expect(await inside).toMatchObject({ code: 0 });
        expect(existsSync(socketPath)).toBe(false);
      });

      it('neither ends nor stalls the gateway by garbage, half-open connections and too many of them', async () => {
        expect(said['connections with its key']).toBeLessThanOrEqual(80);
        expect(waited).toBeLessThan(30_000);
        expect(await stage.inWorld('echo served')).toMatchObject({ code: 0, stdout: 'served\n' });
      });
    });
  });
});
