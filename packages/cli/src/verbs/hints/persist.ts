import { shellWord } from '@subluminal/core-types';
import type { JsonObject } from '@subluminal/core-types';
import type { AllowRuleJson } from '@subluminal/policy';
import { refusedCall } from '@subluminal/records';
import { EXIT } from '../../program/exit/codes.js';
import { Answers } from '../../output/ask.js';
import { escapeText } from '../../output/escape.js';
import { propose } from '../../policy/edit/propose.js';
import { withRecord } from '../../record/open.js';
import { readFileText } from '../../files/replace-text.js';
import { knownCall, type Candidate } from './candidates.js';
import { ABOUT, offered, type Promoting } from './offers.js';

/**
 * `sub hints promote CALL --persist`: an allow rule in the policy file, above the rule that refused the call.
 * It takes the calls that `--as` says, or that a person chooses. `command` is what was typed, to be completed
 * by `--as`. `onWritten` is called once it is written; what it gives stands in the JSON.
 */
export async function persist(
  call: Promoting,
  namedCall: string,
  command: string,
  onWritten: () => Promise<JsonObject> = () => Promise.resolve({}),
): Promise<number> {
  const { output } = call;
  const named = call.flags.file ?? call.home.policy;
  const given = call.flags.file === undefined ? command : `${command} --file ${shellWord(call.flags.file)}`;
  const found = await withRecord(call.home, (reader) => {
    const refused = refusedCall(reader, namedCall);
    return { refused, known: knownCall(reader, refused) };
  });
  const file = readFileText(named);
  const answers = new Answers(process.stdin);
  const offer = await offered(call, found, { named, text: file.text, command: given }, answers);
  if (offer === undefined) {
    answers.close();
    output.line('nothing was written');
    return EXIT.failed;
  }
  const { result, candidate } = offer;
  const edit = {
    named,
    before: file,
    text: result.text,
    notes: coverage(result.rule, candidate),
    json: { as: candidate.as, rule: result.rule, open: candidate.open },
    withheld: undefined,
  };
  return propose(call, edit, answers, onWritten);
}

/** The calls that the rule lets through, and their parts that it does not look at. */
function coverage(rule: AllowRuleJson, { as, draft, open }: Candidate): readonly string[] {
  const names = (keys: readonly string[]): string => keys.map((key) => `\`${escapeText(key)}\``).join(', ');
  const keys = Object.keys(draft.args);
  const lifted = escapeText(rule.effect.overrides[0]);
  const which = as !== 'args' || keys.length === 0 ? ABOUT[as] : `exactly these values of ${names(keys)}`;
  return [
    `rule \`${lifted}\` no longer refuses this tool with ${which}; every other rule decides as before`,
    ...(open.length === 0
      ? []
      : [`not looked at: ${names(open)} (a rule compares texts, numbers and truth values only)`]),
    ...(as === 'args' ? ['further arguments beside these are not looked at either'] : []),
  ];
}
