import { SublError } from '@subluminal/core-types';
import type { Command } from 'commander';
import { assertOutsideRun } from '../../gateway/outside-run.js';
import { NAMED, waitingNamed } from '../../inbox/named.js';
import { string } from '../../program/flags.js';
import { EXIT } from '../../program/exit/codes.js';
import { subVerb, takesId, type Does } from '../../program/verb.js';
import { answer } from './answer.js';
import { assertOpen } from './answered.js';

const FLAGS = { say: string('<sentence>', 'what the agent reads of the no, as `use the staging database`') };

/** A no that holds already. */
const REFUSED = {
  tool: 'a held tool is refused as long as nobody approves it',
  hint: 'a call with a hint is refused already, and stays so as long as nobody approves it',
} as const;

/** `sub approvals deny ID`. */
export function defineDeny(group: Command, does: Does): void {
  const command = subVerb(group, 'deny', 'say no to a question, or refuse a waiting action');
  does(takesId(command, '[id]', NAMED), FLAGS, async (call) => {
    await assertOutsideRun(call);
    const found = await waitingNamed(call);
    const { id, kind } = found;
    if (kind === 'tool' || kind === 'hint')
      throw new SublError('usage', REFUSED[kind], { help: 'there is nothing to deny: leave it as it is' });
    assertOpen(found);
    const { say } = call.flags;
    await answer(call, 'approvals.deny', { approval_id: id, ...(say === undefined ? {} : { say }) });
    return EXIT.done;
  });
}
