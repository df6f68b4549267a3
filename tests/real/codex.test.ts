import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SUB } from '../harness/sub.js';
import { describeWith } from './client.js';
import { configOf, resultsTold, routeByHand, runCodex, toolsFound, writeConfig } from './codex.js';
import { PINS } from './fetch.mjs';
import { POLICY, TURN } from './policy.js';
import { contextsOf, expectModelKnows, expectTurn, runsOf } from './record.js';
import { openStage, type Stage } from './stage.js';

const SEARCH = { search: 'files everything' };

describeWith(PINS.codex, 'behind the gateway', ({ program }) => {
  let stage: Stage;
  let bare: unknown[];
  beforeAll(async () => {
    stage = await openStage(POLICY);
    writeFileSync(join(stage.project, 'note.txt'), 'what stands in the note\n');
    writeConfig(stage);
    stage.model.play([SEARCH, { text: 'finished' }]);
    expect(await runCodex(stage, program)).toMatchObject({ code: 0 });
    bare = toolsFound(stage.model.asked);
    expect(await stage.runSub('up')).toMatchObject({ code: 0 });
    routeByHand(stage);
  }, 60_000);
  afterAll(() => stage.close(), 60_000);

  it('tells its model the answer, the refusal and the hint, and offers it the same tools in the same words', async () => {
    const tail = stage.tail();
    const config = readFileSync(configOf(stage), 'utf8');
    stage.model.play([SEARCH, ...TURN]);
    expect(await runCodex(stage, program)).toMatchObject({ code: 0 });
    expectModelKnows(JSON.stringify(resultsTold(stage.model.asked)));
    expect(JSON.stringify(bare)).toContain('get_sum');
    expect(toolsFound(stage.model.asked)).toEqual(bare);
    expect(existsSync(join(stage.project, 'new.txt'))).toBe(false);
    expect(readFileSync(configOf(stage), 'utf8')).toBe(config);
    await stage.isQuiet();

    const [run, ...others] = await runsOf(stage);
    expect(run).toMatchObject({ client: 'codex', attested: false });
    expect(others).toEqual([]);
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
