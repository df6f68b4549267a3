import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SUB } from '../harness/sub.js';
import { configOf, resultsTold, runClaude, startClaude, toolsOffered, writeConfig } from './claude.js';
import { describeWith } from './client.js';
import { PINS } from './fetch.mjs';
import { contextsOf, endOfRun, expectModelKnows, expectTurn, letThrough, runsOf } from './record.js';
import { openStage, type Stage } from './stage.js';
import { HARMLESS_TURN, LONG_TURN, MODERN_TURN, POLICY, TURN } from './turn.js';

const HARMLESS = [...HARMLESS_TURN, ...MODERN_TURN];

/** What these tests read of the client's own file. */
interface Config {
  readonly numStartups: number;
  readonly mcpServers: object;
  readonly projects: Readonly<Record<string, { readonly mcpServers?: object }>>;
}

describeWith(PINS.claude, 'behind the gateway', ({ program }) => {
  let stage: Stage;
  let bare: ReturnType<typeof told>;
  /** The config as it was before the import. */
  let before: string;

  /** What the model was offered and told in the last turn. */
  const told = () => ({
    tools: toolsOffered(stage.model.asked),
    results: resultsTold(stage.model.asked),
  });

  beforeAll(async () => {
    stage = await openStage(POLICY);
    writeFileSync(join(stage.project, 'note.txt'), 'what stands in the note\n');
    writeConfig(stage);
    stage.model.play([...HARMLESS, { text: 'finished' }]);
    expect(await runClaude(stage, program)).toMatchObject({ code: 0 });
    bare = told();
    before = readFileSync(configOf(stage), 'utf8');
    expect(await stage.runSub('up')).toMatchObject({ code: 0 });
    expect(await stage.runSub('import', 'claude')).toMatchObject({ code: 0 });
  }, 120_000);
  afterAll(() => stage.close(), 60_000);

  it('tells its model what it tells without it, and of refused calls the reason and the hint', async () => {
    const tail = stage.tail();
    stage.model.play([...HARMLESS, ...TURN]);
    expect(await runClaude(stage, program)).toMatchObject({ code: 0 });
    const { tools, results } = told();
    expect(bare.tools).toHaveLength(33);
    expect(tools).toEqual(bare.tools);
    expect(bare.results).toHaveLength(HARMLESS.length);
    expect(results.slice(0, HARMLESS.length)).toEqual(bare.results);
    expectModelKnows(results.slice(HARMLESS.length));
    expect(existsSync(join(stage.project, 'new.txt'))).toBe(false);
    await stage.isQuiet();

    const [run] = await runsOf(stage);
    expect(run).toMatchObject({ client: 'claude', attested: false });
    await expectTurn(stage, run?.run_id ?? '', tail);
    const ids = results.map(({ tool_use_id: id }) => id);
    const contexts = contextsOf(stage, run?.run_id ?? '');
    expect(contexts).toEqual(expect.arrayContaining(ids.map((id) => ({ 'claudecode/toolUseId': id }))));
  });

  it('below `sub run` is one attested run, with all servers in it', async () => {
    const tail = stage.tail();
    stage.model.play(TURN);
    const below = [process.execPath, SUB, 'run', '--agent', 'fixer', '--'];
    expect(await runClaude(stage, program, below)).toMatchObject({ code: 0 });
    expectModelKnows(told().results);
    await stage.isQuiet();
    const [run] = await runsOf(stage);
    expect(run).toMatchObject({ client: 'claude', attested: true, agent_id: 'fixer', status: 'SUCCEEDED' });
    await expectTurn(stage, run?.run_id ?? '', tail);
  });

  it('leaves nothing behind when it is killed in the middle of a call', async () => {
    stage.model.play(LONG_TURN);
    const client = startClaude(stage, program);
    await letThrough(stage, 'trigger-long-running-operation');
    client.kill('SIGKILL');
    await stage.isQuiet();
    expect(await endOfRun(stage)).toBe('SUCCEEDED');
  });

  it('gets its servers back, entry by entry, and keeps what it wrote itself', async () => {
    const after: Config = JSON.parse(readFileSync(configOf(stage), 'utf8'));
    expect(after.numStartups).toBeGreaterThan(0);
    expect(JSON.stringify(after.mcpServers)).toContain('"shim","stdio"');
    expect(await stage.runSub('restore', 'claude')).toMatchObject({ code: 0 });
    const restored: Config = JSON.parse(readFileSync(configOf(stage), 'utf8'));
    const original: Config = JSON.parse(before);
    const { project } = stage;
    expect(restored.mcpServers).toEqual(original.mcpServers);
    expect(restored.projects[project]?.mcpServers).toEqual(original.projects[project]?.mcpServers);
    const others = ({ mcpServers: _user, projects: _all, ...rest }: Config): object => rest;
    expect(others(restored)).toEqual(others(after));
  });

  it('gets its file back byte for byte where it has not written it since', async () => {
    const text = writeConfig(stage);
    expect(await stage.runSub('import', 'claude')).toMatchObject({ code: 0 });
    expect(readFileSync(configOf(stage), 'utf8')).not.toBe(text);
    expect(await stage.runSub('restore', 'claude')).toMatchObject({ code: 0 });
    expect(readFileSync(configOf(stage), 'utf8')).toBe(text);
  });
});
