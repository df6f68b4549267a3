import { isSublError, SublError } from '@subluminal/core-types';
import type { Command } from 'commander';
import { assertOutsideRun } from '../../gateway/outside-run.js';
import { YES } from '../../output/ask.js';
import { choice, flag, string } from '../../program/flags.js';
import { subVerb, takesId, type Does } from '../../program/verb.js';
import { EXIT } from '../../program/exit/codes.js';
import { READINGS } from '../hints/candidates.js';
import { persist } from '../hints/persist.js';
import { answer, give, told } from './answer.js';
import { questionNamed, questionOf } from './question.js';

const FLAGS = {
  for: choice('<how far>', 'once, run (until it ends) or always (by a rule in the policy)', [
    'once',
    'run',
    'always',
  ] as const),
  as: string('<reading>', `with \`--for always\`, what makes a call alike: ${READINGS.join(', ')}`),
  anyArgs: flag('with `--for always`, whatever the arguments are'),
  file: string('<file>', 'with `--for always`, the policy file (default: policy.yaml of the home)'),
  yes: YES,
};

/** `sub approvals approve ID`. */
export function defineApprove(group: Command, does: Does): void {
  const command = subVerb(group, 'approve', 'say yes to a question, or let a waiting action through, once');
  does(takesId(command, '<id>', 'the id that `sub approvals list` shows'), FLAGS, async (call) => {
    await assertOutsideRun(call);
    const id = call.id(0, 'id');
    const { for: reach = 'once', as, anyArgs, file } = call.flags;
    if (reach !== 'always') {
      if (as !== undefined || anyArgs || file !== undefined)
        throw new SublError('usage', '`--as`, `--any-args` and `--file` go with `--for always`');
      await answer(call, 'approvals.approve', { approval_id: id, for: reach });
      return EXIT.done;
    }
    const { callId } = questionOf(await questionNamed(call, id));
    // The rule decides from the next call on; the question itself is answered as well.
    return persist(call, callId, async () => {
      try {
        const data = await give(call, 'approvals.approve', { approval_id: id, for: 'run' });
        if (!call.output.json) call.output.line(told('approvals.approve', id, data));
        return { question: id, for: 'run' };
      } catch (error) {
        if (!isSublError(error)) throw error;
        call.output.note(`the rule is written, and the question not answered: ${error.message}`);
        return { question: null };
      }
    });
  });
}
