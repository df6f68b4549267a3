import { SublError } from '@subluminal/core-types';
import { unifiedDiff } from '@subluminal/policy';
import { wrapped } from '../../output/table.js';
import { paintDiff } from '../../policy/edit/diff-line.js';
import { EXIT } from '../../program/exit/codes.js';
import { digestOf, editOf, type PolicyText } from './edit-of.js';
import { ABOUT, type Found, offersFor, type Promoting } from './offers.js';

/**
 * Shows each way to name the call, or that of `--as`, with the difference that it would make and what its
 * rule covers. Nothing is written; `--expect` binds a later yes to a digest of these.
 */
export function dryRun(call: Promoting, found: Found, file: PolicyText): number {
  const { output } = call;
  const { as } = call.flags;
  const offers = offersFor(call, found, { named: file.named, text: file.before.text });
  const shown = offers
    .filter(({ candidate }) => as === undefined || candidate.as === as)
    .map((offer) => {
      const { text, notes, json } = editOf(file, offer);
      const diff = unifiedDiff(file.before.text, text, file.named);
      return { as: offer.candidate.as, diff, notes, json, digest: digestOf(file, offer) };
    });
  if (shown.length === 0)
    throw new SublError('usage', `\`${as ?? ''}\` is no way to name this call`, {
      help: `\`--as\` takes one of ${offers.map(({ candidate }) => `\`${candidate.as}\``).join(', ')} for it`,
    });
  if (output.json) {
    const listed = shown.map(({ diff, digest, json, notes, as: one }) => ({
      ...json,
      about: ABOUT[one],
      notes,
      diff: diff.join('\n'),
      digest,
    }));
    output.value({ file: file.before.path, offers: listed, lacks: found.known.lacks ?? null });
    return EXIT.done;
  }
  for (const one of shown)
    output.lines([
      output.paint('bold', `${one.as}: ${ABOUT[one.as]} (--as ${one.as})`),
      ...one.diff.map((line) => paintDiff(line, output.paint)),
      ...one.notes.flatMap((note) => wrapped(note, output.width)),
      '',
    ]);
  output.line('nothing was written');
  return EXIT.done;
}
