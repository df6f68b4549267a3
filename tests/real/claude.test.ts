import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SUB } from '../harness/sub.js';
import { configOf, routeByHand, resultsTold, runClaude, toolsOffered, writeConfig } from './claude.js';
import { describeWith } from './client.js';
import { PINS } from './fetch.mjs';
import { contextsOf, expectModelKnows, expectTurn, runsOf } from './record.js';
import { openStage, type Stage } from './stage.js';
import { HARMLESS_TURN, MODERN_TURN, POLICY, TURN } from './turn.js';

describeWith(PINS.claude, 'behind the gateway', ({ program }) => {
  let stage: Stage;
  let bare: Awaited<ReturnType<typeof harmless>>;
  /** What the model was offered and told in a turn in which nothing is refused. */
  async function harmless() {
    stage.model.play([...HARMLESS_TURN, ...MODERN_TURN]);
    expect(await runClaude(stage, program)).toMatchObject({ code: 0 });
    await stage.isQuiet();
    const { asked } = stage.model;
    return { tools: toolsOffered(asked), results: resultsTold(asked) };
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
    expect(bare.tools).toHaveLength(33);
    expect(bare.results).toHaveLength(12);
    expect(await harmless()).toEqual(bare);
  });

  it('tells its model the answer, the refusal and the hint', async () => {
    const tail = stage.tail();
    stage.model.play(TURN);
    expect(await runClaude(stage, program)).toMatchObject({ code: 0 });
    expectModelKnows(JSON.stringify(resultsTold(stage.model.asked)));
    expect(existsSync(join(stage.project, 'new.txt'))).toBe(false);
    await stage.isQuiet();

    const [run] = await runsOf(stage);
    expect(run).toMatchObject({ client: 'claude', attested: false });
    await expectTurn(stage, run?.run_id ?? '', tail.lines());
    tail.stop();
  });

  it('has its own id of each call in the record', async () => {
    const [run] = await runsOf(stage);
    const contexts = contextsOf(stage, run?.run_id ?? '');
    const ids = resultsTold(stage.model.asked).map(({ tool_use_id: id }) => id);
    expect(ids).toHaveLength(3);
    expect(contexts).toEqual(ids.map((id) => ({ 'claudecode/toolUseId': id })));
  });

  it('below `sub run` is one attested run, with both servers in it', async () => {
    const tail = stage.tail();
    stage.model.play(TURN);
    const before = [process.execPath, SUB, 'run', '--agent', 'fixer', '--'];
    expect(await runClaude(stage, program, before)).toMatchObject({ code: 0 });
    expectModelKnows(JSON.stringify(resultsTold(stage.model.asked)));
    await stage.isQuiet();
    const [run] = await runsOf(stage);
    expect(run).toMatchObject({ client: 'claude', attested: true, agent_id: 'fixer', status: 'SUCCEEDED' });
    await expectTurn(stage, run?.run_id ?? '', tail.lines());
    tail.stop();
    expect(JSON.parse(readFileSync(configOf(stage), 'utf8'))).toHaveProperty('someLargeNumber', 123456789);
  });
});
