import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SUB } from '../harness/sub.js';
import { describeWith } from './client.js';
import { configOf, resultsTold, runCodex, startCodex, toolsFound, writeConfig } from './codex.js';
import { PINS } from './fetch.mjs';
import { contextsOf, endOfRun, expectModelKnows, expectTurn, letThrough, runsOf } from './record.js';
import { openStage, type Stage } from './stage.js';
import { HARMLESS_TURN, LONG_TURN, POLICY, TURN } from './turn.js';

const SEARCH = { search: 'files everything' };

describeWith(PINS.codex, 'behind the gateway', ({ program }) => {
  let stage: Stage;
  let bare: ReturnType<typeof told>;
  /** The config as it was before the import. */
  let before: string;

  /** What the model found and was told in the last turn. */
  const told = () => ({ tools: toolsFound(stage.model.asked), results: resultsTold(stage.model.asked) });

  beforeAll(async () => {
    stage = await openStage(POLICY);
    writeFileSync(join(stage.project, 'note.txt'), 'what stands in the note\n');
    writeConfig(stage);
    stage.model.play([SEARCH, ...HARMLESS_TURN, { text: 'finished' }]);
    expect(await runCodex(stage, program)).toMatchObject({ code: 0 });
    bare = told();
    before = readFileSync(configOf(stage), 'utf8');
    expect(await stage.runSub('import', 'codex')).toMatchObject({ code: 0 });
  }, 120_000);
  afterAll(() => stage.close(), 60_000);

  it('starts the gateway, tells its model what it tells without it, and of refused calls the reason and the hint', async () => {
    const config = readFileSync(configOf(stage), 'utf8');
    stage.model.play([SEARCH, ...HARMLESS_TURN, ...TURN]);
    expect(await runCodex(stage, program)).toMatchObject({ code: 0 });
    const { tools, results } = told();
    expect(bare.tools).toHaveLength(2);
    expect(tools).toEqual(bare.tools);
    expect(bare.results).toHaveLength(HARMLESS_TURN.length);
    expect(results.slice(0, HARMLESS_TURN.length)).toEqual(bare.results);
    expectModelKnows(results.slice(HARMLESS_TURN.length));
    expect(existsSync(join(stage.project, 'new.txt'))).toBe(false);
    expect(readFileSync(configOf(stage), 'utf8')).toBe(config);
    await stage.isQuiet();

    const [run] = await runsOf(stage);
    expect(run).toMatchObject({ client: 'codex', attested: false });
    await expectTurn(stage, run?.run_id ?? '', stage.tail());
    const contexts = contextsOf(stage, run?.run_id ?? '');
    for (const { call_id: callId } of results)
      expect(contexts).toContainEqual(expect.objectContaining({ callId }));
  });

  it('below `sub run` is one attested run, with both servers in it', async () => {
    const tail = stage.tail();
    stage.model.play(TURN);
    const below = [process.execPath, SUB, 'run', '--agent', 'fixer', '--'];
    expect(await runCodex(stage, program, below)).toMatchObject({ code: 0 });
    expectModelKnows(told().results);
    await stage.isQuiet();
    const [run] = await runsOf(stage);
    expect(run).toMatchObject({ client: 'codex', attested: true, agent_id: 'fixer', status: 'SUCCEEDED' });
    await expectTurn(stage, run?.run_id ?? '', tail);
  });

  it('leaves nothing behind when it is ended in the middle of a call', async () => {
    stage.model.play(LONG_TURN);
    const client = startCodex(stage, program);
    await letThrough(stage, 'trigger-long-running-operation');
    client.kill('SIGTERM');
    await stage.isQuiet();
    expect(await endOfRun(stage)).toBe('SUCCEEDED');
  });

  it('gets its file back byte for byte', async () => {
    expect(readFileSync(configOf(stage), 'utf8')).not.toBe(before);
    expect(await stage.runSub('restore', 'codex')).toMatchObject({ code: 0 });
    expect(readFileSync(configOf(stage), 'utf8')).toBe(before);
  });
});
