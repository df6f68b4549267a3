import { isOutsideRun } from '../../gateway/outside-run.js';
import type { Call } from '../call.js';
import { unless } from '../flags.js';
import { page, pagerOf } from './program.js';

/** The flag of a verb whose output may be longer than a screen. */
export const PAGED = { pager: unless('print all at once, without a pager') };

/** Does the work of such a verb. On a terminal its output waits, and is shown by a pager if it is long. */
export async function paged(call: Call, work: () => Promise<number>): Promise<number> {
  const { output, session } = call;
  if (!output.hold()) return work();
  try {
    return await work();
  } finally {
    const long = output.longText();
    const env = session.environment.all;
    const pager = long === undefined || !process.stdin.isTTY ? undefined : pagerOf(env);
    // An agent's environment chooses no program for anybody who looks over its shoulder.
    const isShown = pager !== undefined && long !== undefined && (await isOutsideRun(call));
    output.release(isShown && (await page(pager, long, env)));
  }
}
