import { type JsonObject, shellWord, SublError } from '@subluminal/core-types';
import { refusedCall } from '@subluminal/records';
import { EXIT } from '../../program/exit/codes.js';
import { Answers } from '../../output/ask.js';
import { propose } from '../../policy/edit/propose.js';
import { withRecord } from '../../record/open.js';
import { readFileText } from '../../files/replace-text.js';
import { knownCall } from './candidates.js';
import { dryRun } from './dry-run.js';
import { digestOf, editOf } from './edit-of.js';
import { offered, type Promoting } from './offers.js';

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
  const file = { named, before: readFileText(named) };
  if (call.flags.dryRun === true) return dryRun(call, found, file);
  const answers = new Answers(process.stdin);
  const offer = await offered(call, found, { named, text: file.before.text, command: given }, answers);
  if (offer === undefined) {
    answers.close();
    output.line('nothing was written');
    return EXIT.failed;
  }
  assertExpected(call, digestOf(file, offer));
  return propose(call, editOf(file, offer), answers, onWritten);
}

/** Throws `policy_changed` unless it is what somebody was shown; without `--expect` it is asked about. */
function assertExpected({ flags }: Promoting, digest: string): void {
  if (flags.expect === undefined || flags.expect === digest) return;
  throw new SublError('policy_changed', 'the policy file, or its new rule, is not as it was shown', {
    help: 'nothing was written: look at it again',
  });
}
