import { openLedgerReader } from '@subluminal/ledger';
import { expect } from 'vitest';
import * as z from 'zod';
import { HINT, REFUSAL } from './turn.js';
import { eventually } from '../harness/processes.js';
import type { Stage, Tail } from './stage.js';

const Run = z.looseObject({
  run_id: z.string(),
  client: z.string(),
  attested: z.boolean(),
  status: z.string(),
});
const Call = z.looseObject({
  seq: z.number(),
  run_id: z.string(),
  server_name: z.string(),
  tool_name: z.string(),
  decision: z.string(),
});
const Start = z.looseObject({ call: z.looseObject({ context: z.unknown() }) });

async function jsonLines(stage: Stage, ...args: string[]): Promise<unknown[]> {
  const { code, stdout, stderr } = await stage.runSub(...args, '--json');
  if (code !== 0) throw new Error(`sub ${args.join(' ')}: ${stderr}${stdout}`);
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as unknown);
}

/** The newest runs first. */
export async function runsOf(stage: Stage): Promise<z.infer<typeof Run>[]> {
  return z.array(Run).parse(await jsonLines(stage, 'runs'));
}

/** The calls of a run, the first one first. */
export async function callsOf(stage: Stage, runId: string): Promise<z.infer<typeof Call>[]> {
  // A client connects to places of its own, and to its servers: that is recorded beside its calls.
  const rows = z.array(z.looseObject({})).parse(await jsonLines(stage, 'query', '--run', runId));
  const calls = z.array(Call).parse(rows.filter(({ kind }) => kind === 'call'));
  return calls.toReversed();
}

/** What the client said of calls of a run besides their arguments, such as its own ids of them. */
export function contextsOf(stage: Stage, runId: string): unknown[] {
  const reader = openLedgerReader(stage.sub.ledger);
  const { rows } = reader.byRun(runId, { order: 'asc', limit: 1000 });
  reader.close();
  const starts = rows.filter(({ type }) => type === 'tool_call_start');
  return starts.flatMap(({ data }) => Start.safeParse(data).data?.call.context ?? []);
}

/**
 * The last calls of a run as the record and the live tail have to tell them after `TURN`, and the record
 * itself whole.
 */
export async function expectTurn(stage: Stage, runId: string, tail: Tail): Promise<void> {
  const calls = await callsOf(stage, runId);
  expect(calls.slice(-3).map((call) => [call.server_name, call.tool_name, call.decision])).toEqual([
    ['files', 'read_text_file', 'ALLOW'],
    ['files', 'write_file', 'BLOCK'],
    ['everything', 'get-sum', 'REJECT_WITH_HINT'],
  ]);
  const told = () =>
    tail
      .lines()
      .split('\n')
      .filter((line) => line.includes(runId.slice(-6)))
      .join('\n');
  await eventually('the tail tells of all', () => told().includes('everything.get-sum'));
  tail.stop();
  expect(told()).toMatch(/ok +files\.read_text_file/);
  expect(told()).toMatch(/refused +files\.write_file.*rule no-writes: agents write no files here/);
  expect(told()).toMatch(/hinted +everything\.get-sum.*rule no-sums/);
  expect(await stage.runSub('audit', 'verify')).toMatchObject({ code: 0 });
}

/** Waits until a call of this tool was let through. */
export function letThrough(stage: Stage, tool: string): Promise<void> {
  return eventually(
    `a call of ${tool}`,
    () => {
      const reader = openLedgerReader(stage.sub.ledger);
      const [last] = reader.byType('tool_call_decision', { limit: 1 }).rows;
      reader.close();
      return last?.tool?.[1] === tool && last.code === 'ALLOW';
    },
    60_000,
  );
}

/** What a model has to read of `TURN`, however its client words it. */
export function expectModelKnows(results: readonly unknown[]): void {
  expect(results).toHaveLength(3);
  expect(JSON.stringify(results[0])).toContain('what stands in the note');
  expect(JSON.stringify(results[1])).toContain(REFUSAL);
  expect(JSON.stringify(results[2])).toContain(HINT);
}

/** The status that the newest run gets when it ends. */
export async function endOfRun(stage: Stage): Promise<string | undefined> {
  let status: string | undefined;
  await eventually(
    'the run ends',
    async () => {
      status = (await runsOf(stage))[0]?.status;
      return status !== 'RUNNING';
    },
    30_000,
  );
  return status;
}
