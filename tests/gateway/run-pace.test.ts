import { RunOpened } from '@subluminal/core-types';
import { readCredential } from '@subluminal/ipc';
import { expect, it } from 'vitest';
import { page } from '../ui/kit/page.js';
import { runBegin, start, type TestRun, toolCall, toolEnd } from './harness.js';

// The clock by which the gateway paces runs stands still unless a test moves it. A run may be 200 frames
// ahead, and 0.15 a millisecond.

interface World {
  /** Asks for that many calls, and says how many were answered so far. */
  readonly flood: (
    run: TestRun,
    calls: number,
  ) => { readonly answered: () => number; readonly all: Promise<Set<string>> };
  readonly pass: (ms: number) => void;
  readonly run: () => Promise<TestRun>;
}

async function world(): Promise<World & { readonly gateway: Awaited<ReturnType<typeof start>> }> {
  let now = 1000;
  const gateway = await start({ monotonic: () => now });
  return {
    gateway,
    pass: (ms) => {
      now += ms;
    },
    run: () => gateway.run(),
    flood: ({ client }, calls) => {
      let answered = 0;
      const asked = Array.from({ length: calls }, async () => {
        const { status } = await client.request('tool.call.begin', toolCall());
        answered += 1;
        return status;
      });
      return { answered: () => answered, all: Promise.all(asked).then((statuses) => new Set(statuses)) };
    },
  };
}

/** Waits until that many are answered, and then as long as an answer more would take to come. */
async function stopsAt(answered: () => number, count: number): Promise<void> {
  while (answered() < count) await new Promise((resolve) => setTimeout(resolve, 1));
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(answered()).toBe(count);
}

it('a run that asks without end waits beside a calm one, and is answered everything in the end', async () => {
  const { run, flood, pass } = await world();
  const [calm, wild] = [await run(), await run()];
  const decided = await calm.client.request('tool.call.begin', toolCall());
  expect(decided.status).toBe('success');

  const { answered, all } = flood(wild, 600);
  await stopsAt(answered, 201);
  // Who asks for little is served at once meanwhile, and so is the operator.
  expect((await calm.client.request('tool.call.begin', toolCall())).status).toBe('success');
  pass(100);
  await stopsAt(answered, 216);
  // Its client has gone away, and with it the reason.
  calm.client.close();
  expect(await all).toEqual(new Set(['success']));
});

it('a run alone waits for nothing, and neither do runs that all ask for much', async () => {
  const { run, flood } = await world();
  const first = await run();
  expect(await flood(first, 300).all).toEqual(new Set(['success']));
  const [second, third] = [await run(), await run()];
  const both = [flood(second, 300), flood(third, 300)];
  for (const { all } of both) expect(await all).toEqual(new Set(['success']));
});

it('a run alone that enrolled a moment ago waits for nothing', async () => {
  const { gateway, flood } = await world();
  const enrolment = await gateway.connect(readCredential(gateway.paths.enrolKey));
  const opened = RunOpened.parse((await enrolment.request('run.begin', runBegin())).data);
  enrolment.close();
  const client = await gateway.connect(opened.credential);
  const { all } = flood({ id: opened.run_id, credential: opened.credential, client }, 300);
  expect(await all).toEqual(new Set(['success']));
});

it('the operator waits for no pace, and what waits still ends with its run', async () => {
  const { gateway, run, flood } = await world();
  const [calm, wild] = [await run(), await run()];
  await calm.client.request('tool.call.begin', toolCall());
  const { answered, all } = flood(wild, 300);
  const failed = all.catch((error: unknown) => error);
  await stopsAt(answered, 201);
  const operator = await gateway.operator();
  for (let n = 0; n < 20; n += 1) expect((await operator.request('runs.list', {})).status).toBe('success');
  expect((await operator.request('run.end', { run_id: wild.id, status: 'CANCELLED' })).status).toBe(
    'success',
  );
  expect(await failed).toBeInstanceOf(Error);
  expect(gateway.calls().filter(({ runId }) => runId === wild.id)).toHaveLength(201);
});

it('ends of calls come through behind the calls that wait', async () => {
  const { gateway, run, pass } = await world();
  const [calm, wild] = [await run(), await run()];
  await calm.client.request('tool.call.begin', toolCall());
  const calls = Array.from({ length: 150 }, () => toolCall());
  const begun = calls.map((call) => wild.client.request('tool.call.begin', call));
  await Promise.all(begun);
  const ended = calls.map(({ call_id }) => wild.client.request('tool.call.end', toolEnd(call_id)));
  const moving = setInterval(() => pass(10), 1);
  const answers = await Promise.all(ended).finally(() => clearInterval(moving));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set(['success']));
  expect(gateway.calls().filter(({ end }) => end === 'OK')).toHaveLength(150);
});

it('an open page holds no run up', async () => {
  const { gateway, run, flood } = await world();
  const opened = await page(await gateway.operator());
  const wild = await run();
  expect((await opened.get('/ui/api/state')).status).toBe(200);
  expect(await flood(wild, 300).all).toEqual(new Set(['success']));
  expect((await opened.get('/ui/api/state')).status).toBe(200);
});
