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
