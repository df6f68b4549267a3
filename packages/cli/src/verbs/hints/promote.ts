import type { Command } from 'commander';
import { objectAt, SublError, textAt, type JsonObject } from '@subluminal/core-types';
import { hintOfCall, refusedCall, runEnd, type RefusedCall } from '@subluminal/records';
import { EXIT } from '../../program/exit/codes.js';
import { askOperator } from '../../gateway/door.js';
import { assertOutsideRun } from '../../gateway/outside-run.js';
import { agrees, assertAskable, YES } from '../../output/ask.js';
import { escapeText } from '../../output/escape.js';
import type { Call } from '../../program/call.js';
import { flag, string } from '../../program/flags.js';
import { subVerb, takesId, type Does } from '../../program/verb.js';
import { withRecord } from '../../record/open.js';
import { READINGS } from './candidates.js';
import { persist } from './persist.js';

const ADVICE = {
  run_ended: 'for later runs, `--persist` writes a rule into the policy file',
} as const;

const FLAGS = {
  as: string('<reading>', `what makes a call alike: ${READINGS.join(', ')}; with \`--persist\``),
  anyArgs: flag('with any arguments, instead of those of the call'),
  persist: flag('by a rule in the policy file, instead of for the rest of the run'),
  file: string('<file>', 'the policy file (default: policy.yaml of the home); with `--persist`'),
  dryRun: flag('show each reading with its rule, and write nothing; with `--persist`'),
  expect: string('<digest>', 'only the rule that `--dry-run --json` showed; with `--persist`'),
  yes: YES,
};

type Lifting = Call<{ readonly anyArgs: boolean; readonly yes: boolean }>;

/**
 * `sub hints promote CALL`: lets such calls through, for the rest of their run, or by a rule in the policy
 * file.
 */
export function definePromote(group: Command, does: Does): void {
  const command = subVerb(group, 'promote', 'let calls like a refused one through');
  does(
    takesId(command, '<call>', 'the id of the refused call, or the number of its entry'),
    FLAGS,
    async (call) => {
      await assertOutsideRun(call);
      const { flags } = call;
      if (!flags.dryRun) assertAskable(call);
      const named = call.id(0, 'call');
      if (flags.persist) return persist(call, named, `sub hints promote ${named} --persist`);
      const extra =
        (['file', 'as', 'expect'] as const).find((name) => flags[name] !== undefined) ??
        (flags.dryRun ? 'dry-run' : undefined);
      if (extra === undefined) return liftForRun(call, named);
      throw new SublError('usage', `\`--${extra}\` goes with \`--persist\``, {
        help: 'without `--persist` no file is changed',
      });
    },
  );
}

/** Lifts the rule of a hint until its run ends, where a person agrees. */
export async function liftForRun(call: Lifting, named: string): Promise<number> {
  const refused = await findRefused(call, named);
  const which = call.flags.anyArgs ? 'any arguments' : 'the same arguments';
  const what = `\`${refused.server}.${refused.tool}\` with ${which}`;
  const question = `lift rule \`${refused.ruleId}\` for ${what} until run \`${refused.runId}\` ends?`;
  if (!(await agrees(call, escapeText(question)))) {
    call.output.line('nothing was changed');
    return EXIT.failed;
  }
  const answer = objectAt(
    await askOperator(
      call.home,
      call.session.now,
      'hints.promote',
      { run_id: refused.runId, call_id: refused.callId, any_args: call.flags.anyArgs },
      ADVICE,
    ),
  );
  if (call.output.json) call.output.value(answer);
  else print(call, answer, refused, what);
  return EXIT.done;
}

function findRefused(call: Call, named: string): Promise<RefusedCall> {
  return withRecord(call.home, (reader) => {
    const refused = refusedCall(reader, named);
    if (runEnd(reader, refused.runId) !== undefined) {
      throw new SublError('run_ended', `run \`${refused.runId}\` has ended, and its hints with it`, {
        help: ADVICE.run_ended,
      });
    }
    if (hintOfCall(reader, refused.record) !== undefined) return refused;
    throw new SublError('failed', `call \`${refused.callId}\` was given no hint that lifts a rule`, {
      help: 'for the rest of a run only what was refused with a hint can be let through; `--persist` writes a rule',
    });
  });
}

function print({ output }: Call, answer: JsonObject | null, refused: RefusedCall, what: string): void {
  const rule = `rule \`${refused.ruleId}\``;
  const until = `until run \`${refused.runId}\` ends`;
  switch (textAt(answer, 'lifts')) {
    case 'deny':
      output.line(escapeText(`allowed: ${what}, despite ${rule}`));
      output.line(escapeText(`${until}; every other rule decides as before`));
      break;
    case 'limit':
      output.line(escapeText(`lifted: ${rule}, for ${what}`));
      output.line(escapeText(`${until}; where no rule allows it, \`no_match\` still decides`));
      break;
    default:
      output.line(escapeText(`recorded; ${rule} is not in force now, so nothing changes`));
  }
}
