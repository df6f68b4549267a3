import { existsSync } from 'node:fs';
import type { JsonObject } from '@subluminal/core-types';
import { unifiedDiff, type AllowRuleJson } from '@subluminal/policy';
import { refusedCall } from '@subluminal/records';
import { EXIT } from '../../program/exit/codes.js';
import { agrees, Answers } from '../../output/ask.js';
import { escapeText } from '../../output/escape.js';
import { wrapped } from '../../output/table.js';
import type { Call } from '../../program/call.js';
import { shellWord } from '../../program/completion/shell-word.js';
import { withRecord } from '../../record/open.js';
import { readFileText, replaceFileText } from '../../files/replace-text.js';
import { paintDiff } from './diff-line.js';
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
  const diff = unifiedDiff(file.text, result.text, named);
  if (!output.json) {
    output.lines(diff.map((line) => paintDiff(line, output.paint)));
    output.lines(['', ...coverage(result.rule, candidate).flatMap((text) => wrapped(text, output.width))]);
  }
  const isWritten = await agrees(call, `write this to \`${escapeText(named)}\`?`, answers);
  if (isWritten) replaceFileText(file, result.text, process.pid);
  const also = isWritten ? await onWritten() : {};
  if (output.json) {
    output.value({
      written: isWritten,
      file: file.path,
      as: candidate.as,
      rule: result.rule,
      open: candidate.open,
      diff: diff.join('\n'),
      ...also,
    });
  } else {
    const told = isWritten ? written(call, named, file.path) : ['nothing was written'];
    output.lines(told.flatMap((text) => wrapped(text, output.width)));
  }
  return isWritten ? EXIT.done : EXIT.failed;
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

/** The words on a policy file that was written. */
export function written(call: Call, named: string, path: string): readonly string[] {
  const then =
    named === call.home.policy
      ? 'written; the gateway loads it by itself unless `policy.accept` says otherwise; `sub policy show` shows what decides'
      : 'written; it decides once it is the policy of a home';
  const isSigned = existsSync(`${path}.sig`);
  return [
    then,
    ...(isSigned ? ['its signature is that of the text before: `sub policy sign` makes a new one'] : []),
  ];
}
