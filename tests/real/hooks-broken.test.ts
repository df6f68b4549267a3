import { once } from 'node:events';
import { appendFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runClaude, writeConfig } from './claude.js';
import * as codex from './codex.js';
import { describeWith } from './client.js';
import { PINS } from './fetch.mjs';
import { openStage, type Stage } from './stage.js';

const MCP_SERVER = fileURLToPath(new URL('hook-mcp-server.mjs', import.meta.url));
const SERVER = fileURLToPath(new URL('hook-server.mjs', import.meta.url));

/**
 * The fate of an answer in Claude Code, by its name in `hook-server.mjs`: whether the tool is called as the
 * hook is installed, and as it is where the operator has named the tool (`onFailure: block`).
 */
const TABLE: readonly (readonly [name: string, asInstalled: boolean, blocked: boolean])[] = [
  ['no-opinion', true, true],
  ['deny', false, false],
  ['deny-extra-key', false, false],
  ['deny-upper-case', true, false],
  ['deny-no-reason', false, false],
  ['deny-with-403', true, false],
  ['empty-body', true, true],
  ['no-json', true, false],
  ['status-500', true, false],
  ['status-429', true, false],
  ['hangs', true, false],
  ['breaks', true, false],
];

/** These are facts about the client that the answers of the gateway rely on. */
describeWith(PINS.claude, 'and a hook that answers in a broken way', ({ program }) => {
  let stage: Stage;
  let port: string;

  beforeAll(async () => {
    stage = await openStage();
    writeConfig(stage);
    mkdirSync(join(stage.user, '.claude'), { recursive: true });
    const server = stage.start([process.execPath, SERVER]);
    if (server.stdout === null) throw new Error('it has no stdout');
    [port] = (await once(createInterface({ input: server.stdout }), 'line')) as [string];
  }, 180_000);
  afterAll(() => stage.close(), 60_000);

  it.each([
    ['as it is installed', {}, 1],
    ['with `onFailure: block`', { onFailure: 'block' }, 2],
  ] as const)('%s calls the tool, or not, as is known of it', async (_name, more, column) => {
    const hook = { type: 'http', url: `http://127.0.0.1:${port}/`, timeout: 2, ...more };
    const settings = { hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [hook] }] } };
    writeFileSync(join(stage.user, '.claude/settings.json'), JSON.stringify(settings));
    const calls = TABLE.map(([name]) => ({ calls: [{ tool: 'Bash', input: { command: `touch ${name}` } }] }));
    stage.model.play([...calls, { text: 'finished' }]);
    expect(await runClaude(stage, program, [], ['--permission-mode', 'bypassPermissions'])).toMatchObject({
      code: 0,
    });
    const made = TABLE.map(([name]) => [name, existsSync(join(stage.project, name))]);
    expect(made).toEqual(TABLE.map((row) => [row[0], row[column]]));
    for (const [name] of TABLE) rmSync(join(stage.project, name), { force: true });
  });
});

/** The same of Codex, which has no way to fail closed: one key more in a refusal, and the tool is called. */
const CODEX_TABLE: readonly (readonly [name: string, isCalled: boolean])[] = [
  ['no-opinion', true],
  ['deny', false],
  ['deny-extra-key', true],
  ['deny-upper-case', true],
  ['deny-no-reason', true],
  ['deny-with-403', true],
  ['continue-false', true],
  ['empty-body', true],
  ['no-json', true],
  ['status-500', true],
  ['hangs', true],
];

describeWith(PINS.codex, 'and a hook that answers in a broken way', ({ program }) => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await openStage();
    codex.writeConfig(stage);
    const guard = `\n[mcp_servers.guard]\ncommand = "node"\nargs = [${JSON.stringify(MCP_SERVER)}]\nrequired = true\n`;
    appendFileSync(codex.configOf(stage), guard);
    const hook = {
      type: 'mcp_tool',
      server: 'guard',
      tool: 'decide',
      timeout: 2,
      input: { command: '${tool_input.command}' },
    };
    const hooks = { hooks: { PreToolUse: [{ hooks: [hook] }] } };
    writeFileSync(join(stage.user, '.codex/hooks.json'), JSON.stringify(hooks));
  }, 180_000);
  afterAll(() => stage.close(), 60_000);

  it('calls the tool, or not, as is known of it', async () => {
    const calls = CODEX_TABLE.map(([name]) => ({
      calls: [{ tool: 'exec_command', input: { cmd: `touch ${name}` } }],
    }));
    stage.model.play([...calls, { text: 'finished' }]);
    const turn = await codex.runCodex(stage, program, [], ['--dangerously-bypass-hook-trust']);
    expect(turn).toMatchObject({ code: 0 });
    expect(CODEX_TABLE.map(([name]) => [name, existsSync(join(stage.project, name))])).toEqual(CODEX_TABLE);
  });
});
