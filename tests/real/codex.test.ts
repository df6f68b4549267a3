import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SUB } from '../harness/sub.js';
import { describeWith } from './client.js';
import { configOf, resultsTold, routeByHand, runCodex, toolsFound, writeConfig } from './codex.js';
import { PINS } from './fetch.mjs';
import { contextsOf, expectModelKnows, expectTurn, runsOf } from './record.js';
import { openStage, type Stage } from './stage.js';
import { HARMLESS_TURN, POLICY, TURN } from './turn.js';

const SEARCH = { search: 'files everything' };

describeWith(PINS.codex, 'behind the gateway', ({ program }) => {
  let stage: Stage;
  let bare: Awaited<ReturnType<typeof harmless>>;
  /** What the model was offered and told in a turn in which nothing is refused. */
  async function harmless() {
    stage.model.play([SEARCH, ...HARMLESS_TURN]);
    expect(await runCodex(stage, program)).toMatchObject({ code: 0 });
    await stage.isQuiet();
    const { asked } = stage.model;
    return { tools: toolsFound(asked), results: resultsTold(asked) };
  }
  beforeAll(async () => {
    stage = await openStage(POLICY);
    writeFileSync(join(stage.project, 'note.txt'), 'what stands in the note\n');
    writeConfig(stage);
    bare = await harmless();
    expect(await stage.runSub('up')).toMatchObject({ code: 0 });
    routeByHand(stage);
  }, 60_000);
  afterAll(() => stage.close(), 60_000);

  it('tells its model the same as without it, where nothing is refused', async () => {
    expect(bare.tools).toHaveLength(2);
    expect(bare.results).toHaveLength(9);
    expect(await harmless()).toEqual(bare);
  });

  it('tells its model the answer, the refusal and the hint', async () => {
    const tail = stage.tail();
    const config = readFileSync(configOf(stage), 'utf8');
    stage.model.play([SEARCH, ...TURN]);
    expect(await runCodex(stage, program)).toMatchObject({ code: 0 });
    expectModelKnows(JSON.stringify(resultsTold(stage.model.asked)));
    expect(existsSync(join(stage.project, 'new.txt'))).toBe(false);
    expect(readFileSync(configOf(stage), 'utf8')).toBe(config);
    await stage.isQuiet();

    const [run] = await runsOf(stage);
    expect(run).toMatchObject({ client: 'codex', attested: false });
    await expectTurn(stage, run?.run_id ?? '', tail.lines());
    tail.stop();
  });

  it('has its own id of each call in the record', async () => {
    const [run] = await runsOf(stage);
    const contexts = contextsOf(stage, run?.run_id ?? '');
    const ids = resultsTold(stage.model.asked).map(({ call_id: id }) => id);
    expect(ids).toHaveLength(3);
    expect(contexts).toMatchObject(ids.map((id) => ({ callId: id })));
  });

  it('below `sub run` is one attested run, with both servers in it', async () => {
    const tail = stage.tail();
    stage.model.play([SEARCH, ...TURN]);
    const before = [process.execPath, SUB, 'run', '--agent', 'fixer', '--'];
    expect(await runCodex(stage, program, before)).toMatchObject({ code: 0 });
    expectModelKnows(JSON.stringify(resultsTold(stage.model.asked)));
    await stage.isQuiet();
    const [run] = await runsOf(stage);
    expect(run).toMatchObject({ client: 'codex', attested: true, agent_id: 'fixer', status: 'SUCCEEDED' });
    await expectTurn(stage, run?.run_id ?? '', tail.lines());
    tail.stop();
  });
});
