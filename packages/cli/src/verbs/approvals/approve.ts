import { isSublError, type JsonObject, SublError, textAt } from '@subluminal/core-types';
import type { Command } from 'commander';
import { assertOutsideRun } from '../../gateway/outside-run.js';
import { NAMED, waitingNamed } from '../../inbox/named.js';
import { entryOf, type Waiting } from '../../inbox/waiting.js';
import { assertAskable, YES } from '../../output/ask.js';
import type { Call } from '../../program/call.js';
import { choice, flag, string, type Values } from '../../program/flags.js';
import { subVerb, takesId, type Does } from '../../program/verb.js';
import { EXIT } from '../../program/exit/codes.js';
import { READINGS } from '../hints/candidates.js';
import { persist } from '../hints/persist.js';
import { liftForRun } from '../hints/promote.js';
import { approveHeld } from '../tools/approve.js';
import { answer, give, told } from './answer.js';
import { assertOpen } from './answered.js';
import { isBudget, raise } from './raise.js';

const FLAGS = {
  for: choice('<how far>', 'once, run (until it ends) or always (by a rule in the policy)', [
    'once',
    'run',
    'always',
  ] as const),
  as: string('<reading>', `with \`--for always\`, what makes a call alike: ${READINGS.join(', ')}`),
  anyArgs: flag('with `--for always`, and of a hint with `--for run`, whatever the arguments are'),
  file: string('<file>', 'with `--for always`, the policy file (default: policy.yaml of the home)'),
  yes: YES,
};

type Given = Call<Values<typeof FLAGS>>;

/** `sub approvals approve ID`. */
export function defineApprove(group: Command, does: Does): void {
  const summary = 'say yes to a question, an action, a held tool or a hint';
  does(takesId(subVerb(group, 'approve', summary), '[id]', NAMED), FLAGS, async (call) => {
    await assertOutsideRun(call);
    const found = await waitingNamed(call);
    assertFits(call, found);
    switch (found.kind) {
      case 'action':
        await answer(call, 'approvals.approve', { approval_id: found.id });
        return EXIT.done;
      case 'question':
        return toQuestion(call, found);
      case 'hint':
        assertAskable(call);
        return call.flags.for === 'always' ? always(call, found) : liftForRun(call, entryOf(found));
      case 'tool':
        return approveHeld(call, textAt(found.facts, 'server_name'), [found.facts]);
    }
  });
}

async function toQuestion(call: Given, found: Waiting): Promise<number> {
  const { id, facts } = found;
  const { for: reach = 'once' } = call.flags;
  if (reach !== 'always') {
    assertOpen(found);
    await answer(call, 'approvals.approve', { approval_id: id, for: reach });
    return EXIT.done;
  }
  // The file decides from the next call on; the question itself is answered as well.
  const answered = async (): Promise<JsonObject> => {
    try {
      const data = await give(call, 'approvals.approve', { approval_id: id, for: 'run' });
      if (!call.output.json) call.output.line(told('approvals.approve', id, data));
      return { question: id, for: 'run' };
    } catch (error) {
      if (!isSublError(error)) throw error;
      call.output.note(`the rule is written, and the question not answered: ${error.message}`);
      return { question: null };
    }
  };
  const ruleId = textAt(facts, 'rule_id');
  if (isBudget(call, ruleId)) return raise(call, ruleId, answered);
  return always(call, found, answered);
}

function always(call: Given, found: Waiting, onWritten?: () => Promise<JsonObject>): Promise<number> {
  const entry = entryOf(found);
  return persist(call, entry, `sub approvals approve ${entry} --for always`, onWritten);
}

/** Flags that say nothing of this kind are a mistake: a yes must go as far as was meant, and no farther. */
function assertFits({ flags }: Given, { kind }: Waiting): void {
  const { for: reach, as, anyArgs, file } = flags;
  if (reach !== 'always') {
    if (as !== undefined || file !== undefined || (anyArgs && kind !== 'hint'))
      throw new SublError('usage', '`--as`, `--any-args` and `--file` go with `--for always`');
    if (kind === 'hint' && reach !== 'run')
      throw new SublError('usage', 'a hint that is approved lifts its rule for more than one call', {
        help: 'say how far: `--for run` until the run ends, or `--for always` by a rule in the policy',
      });
  }
  if ((kind === 'tool' || kind === 'action') && reach !== undefined)
    throw new SublError('usage', `\`--for\` goes with questions and hints, and this is ${WORDS[kind]}`, {
      help: 'leave it out',
    });
}

const WORDS = { tool: 'a held tool', action: 'an action' } as const;
