import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundle, deny } from '../gateway/policy-bundle.js';
import { SUB } from '../harness/sub.js';
import * as claude from './claude.js';
import { describeWith, type RealClient } from './client.js';
import * as codex from './codex.js';
import { PINS } from './fetch.mjs';
import { callsOf, runsOf } from './record.js';
import { openStage, type Stage } from './stage.js';
import { HINT, REFUSAL } from './turn.js';

const SERVER = fileURLToPath(new URL('../conformance/server/http.mjs', import.meta.url));
const call = (tool: string, input: object = {}, server = 'remote') => ({ calls: [{ server, tool, input }] });

/** Content, progress, a failure, what the server asks back, and a server over stdio beside it. */
const HARMLESS = [
  call('test_simple_text'),
  call('test_embedded_resource'),
  call('test_tool_with_progress'),
  call('test_error_handling'),
  call('test_elicitation', { message: 'may I?' }),
  call('echo', { message: 'over stdio' }, 'everything'),
];
const REFUSED = [call('test_image_content'), call('test_audio_content')];
const POLICY = bundle(
  [
    deny('no-images', 'test_image_content', { message: REFUSAL }),
    deny('no-sounds', 'test_audio_content', { message: 'no sounds', hint_text: HINT }),
  ],
  { mode: 'control' },
);

/**
 * A client, its config with a remote server beside the others, one turn, and what its model was told in it.
 */
interface Way {
  readonly name: string;
  configOf(stage: Stage): string;
  configure(stage: Stage, url: string): void;
  turn(stage: Stage, program: string, below?: readonly string[]): Promise<{ readonly code: number | null }>;
  told(stage: Stage): readonly unknown[];
  /** What a config says of servers; all of it, where the client does not write it itself. */
  serversIn(config: string): unknown;
}

const WAYS = {
  claude: {
    name: 'claude',
    configOf: claude.configOf,
    configure(stage, url) {
      const text = claude.writeConfig(stage);
      const remote = JSON.stringify({ type: 'http', url, headers: { 'X-Team': 'a team' } });
      writeFileSync(claude.configOf(stage), text.replace('"everything": {', `"remote": ${remote},\n    $&`));
    },
    turn: claude.runClaude,
    told: (stage) => claude.resultsTold(stage.model.asked),
    serversIn: (config) => JSON.parse(config).mcpServers,
  },
  codex: {
    name: 'codex',
    configOf: codex.configOf,
    configure(stage, url) {
      const text = codex.writeConfig(stage);
      const remote = `\n[mcp_servers.remote]\nurl = "${url}"  # far away\nhttp_headers = { X-Team = "a team" }\nrequired = true\nstartup_timeout_sec = 60\n`;
      writeFileSync(codex.configOf(stage), text + remote);
    },
    turn: codex.runCodex,
    told: (stage) => codex.resultsTold(stage.model.asked),
    serversIn: (config) => config,
  },
} as const satisfies Record<string, Way>;

describeWith(PINS.claude, 'with a remote server', (client) => remoteTests(WAYS.claude, client));
describeWith(PINS.codex, 'with a remote server', (client) => remoteTests(WAYS.codex, client));

function remoteTests(way: Way, { program }: RealClient): void {
  let stage: Stage;
  /** The config as it was before the import. */
  let before: string;
  beforeAll(async () => {
    stage = await openStage(POLICY);
    const server = stage.start([process.execPath, SERVER]);
    if (server.stdout === null) throw new Error('it has no stdout');
    const [line] = await once(createInterface({ input: server.stdout }), 'line');
    way.configure(stage, `http://127.0.0.1:${JSON.parse(String(line)).port}/mcp`);
  }, 180_000);
  afterAll(() => stage.close(), 60_000);

  it('tells its model what it tells without the gateway, and of refused calls the reason and the hint', async () => {
    stage.model.play([...HARMLESS, { text: 'finished' }]);
    expect(await way.turn(stage, program)).toMatchObject({ code: 0 });
    const bare = way.told(stage);
    expect(bare).toHaveLength(HARMLESS.length);
    expect(JSON.stringify(bare)).toContain('This is a simple text response');

    before = readFileSync(way.configOf(stage), 'utf8');
    expect(await stage.runSub('up')).toMatchObject({ code: 0 });
    const imported = await stage.runSub('import', way.name);
    expect(imported).toMatchObject({ code: 0 });
    expect(imported.stdout).toMatch(/`127\.0\.0\.1:\d+` is on the allowlist now, for `remote`/);
    stage.model.play([...HARMLESS, ...REFUSED]);
    expect(await way.turn(stage, program)).toMatchObject({ code: 0 });
    const results = way.told(stage);
    expect(results.slice(0, HARMLESS.length)).toEqual(bare);
    expect(JSON.stringify(results.at(-2))).toContain(REFUSAL);
    expect(JSON.stringify(results.at(-1))).toContain(HINT);

    const runs = await runsOf(stage);
    expect(runs).toMatchObject([{ client: way.name, attested: false }]);
    const calls = await callsOf(stage, runs[0]?.run_id ?? '');
    expect(new Set(calls.map(({ server_name: name }) => name))).toEqual(new Set(['remote', 'everything']));
    expect(await stage.runSub('audit', 'verify')).toMatchObject({ code: 0 });
  });

  it('below `sub run` is the same attested run as its servers over stdio', async () => {
    stage.model.play([...HARMLESS.slice(-1), ...REFUSED]);
    const below = [process.execPath, SUB, 'run', '--agent', 'fixer', '--'];
    expect(await way.turn(stage, program, below)).toMatchObject({ code: 0 });
    expect(JSON.stringify(way.told(stage).at(-2))).toContain(REFUSAL);
    expect(JSON.stringify(way.told(stage).at(-1))).toContain(HINT);
    const [run] = await runsOf(stage);
    expect(run).toMatchObject({ client: way.name, attested: true, agent_id: 'fixer' });
    const calls = await callsOf(stage, run?.run_id ?? '');
    expect(calls.map(({ server_name: name }) => name)).toEqual(['everything', 'remote', 'remote']);
  });

  it('gets its servers back', async () => {
    expect(readFileSync(way.configOf(stage), 'utf8')).toContain('Subluminal-Upstream');
    expect(await stage.runSub('restore', way.name)).toMatchObject({ code: 0 });
    const restored = readFileSync(way.configOf(stage), 'utf8');
    expect(restored).not.toContain('Subluminal');
    expect(way.serversIn(restored)).toEqual(way.serversIn(before));
  });
}
