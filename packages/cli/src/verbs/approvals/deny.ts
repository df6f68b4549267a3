import type { Command } from 'commander';
import { assertOutsideRun } from '../../gateway/outside-run.js';
import { string } from '../../program/flags.js';
import { EXIT } from '../../program/exit/codes.js';
import { subVerb, takesId, type Does } from '../../program/verb.js';
import { answer } from './answer.js';

const FLAGS = { say: string('<sentence>', 'what the agent reads of the no, as `use the staging database`') };

/** `sub approvals deny ID`. */
export function defineDeny(group: Command, does: Does): void {
  const command = subVerb(group, 'deny', 'say no to a question, or refuse a waiting action');
  does(takesId(command, '<id>', 'the id that `sub approvals list` shows'), FLAGS, async (call) => {
    await assertOutsideRun(call);
    const { say } = call.flags;
    const payload = { approval_id: call.id(0, 'id'), ...(say === undefined ? {} : { say }) };
    await answer(call, 'approvals.deny', payload);
    return EXIT.done;
  });
}
