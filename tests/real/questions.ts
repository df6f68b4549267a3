import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import * as z from 'zod';
import { eventually } from '../harness/processes.js';
import type { Stage } from './stage.js';

const Question = z.looseObject({
  kind: z.literal('question'),
  id: z.string(),
  run_id: z.string(),
  object: z.string(),
});
type Question = z.infer<typeof Question>;

/** The questions that wait and name this, once there are so many. */
export async function questionsOf(stage: Stage, what: string, count: number): Promise<readonly Question[]> {
  let found: readonly Question[] = [];
  await eventually(
    `${count} questions`,
    async () => {
      const { stdout } = await stage.runSub('approvals', 'list', '--json');
      const lines = stdout.split('\n').filter((line) => line !== '');
      // Hints and held tools stand in the same list.
      const all = lines.flatMap((line) => Question.safeParse(JSON.parse(line)).data ?? []);
      found = all.filter(({ object }) => object.includes(what));
      return found.length === count;
    },
    30_000,
  );
  return found;
}

/** A rule that asks about `touch asked…`. */
export const ASKS = {
  rule_id: 'pushes',
  kind: 'ask',
  enabled: true,
  severity: 'warn',
  match: { command: { argv: ['touch asked*'] } },
  effect: { action: 'ASK', message: 'this is asked about' },
};

/**
 * After `touch asked.txt` was asked about, waited for, made by a yes for once, and asked about anew: the
 * words of the model for each of the four.
 */
export function expectAskedAroundOnce(stage: Stage, results: readonly unknown[]): void {
  expect(existsSync(join(stage.project, 'asked.txt'))).toBe(true);
  const told = results.map((one) => JSON.stringify(one));
  expect(told[0]).toContain('not made yet: this is asked about; a person was asked and has until');
  expect(told[2]).not.toContain('a person was asked');
  expect(told[3]).toContain('a person was asked and has until');
}
