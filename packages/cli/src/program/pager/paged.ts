import { isOutsideRun } from '../../gateway/outside-run.js';
import type { Call } from '../call.js';
import { unless } from '../flags.js';
import { page, pagerOf } from './program.js';

/** The flag of a verb whose output may be longer than a screen. */
export const PAGED = { pager: unless('print all at once, without a pager') };

/** Does the work of such a verb. On a terminal its output waits, and is shown by a pager if it is long. */
export async function paged(call: Call, work: () => Promise<number>): Promise<number> {
  const { output } = call;
  if (!output.hold()) return work();
  try {
    return await work();
  } finally {
    let isShown = false;
    try {
      isShown = await shownByPager(call);
    } finally {
      // Whatever became of the pager, nothing that waits is lost.
      output.release(isShown);
    }
  }
}

/** Whether the pager has shown what waits. */
async function shownByPager(call: Call): Promise<boolean> {
  const long = call.output.longText();
  const env = call.session.environment.all;
  const pager = long === undefined || !process.stdin.isTTY ? undefined : pagerOf(env);
  if (pager === undefined || long === undefined) return false;
  // An agent's environment chooses no program for anybody who looks over its shoulder.
  return (await isOutsideRun(call)) && page(pager, long, env);
}
