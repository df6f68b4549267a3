import { existsSync } from 'node:fs';
import { type JsonObject, SublError } from '@subluminal/core-types';
import { unifiedDiff } from '@subluminal/policy';
import { replaceFile } from '../../files/replace.js';
import { type FileText, replaceFileText } from '../../files/replace-text.js';
import { agrees, type Answers } from '../../output/ask.js';
import { escapeText } from '../../output/escape.js';
import { whyOf } from '../../output/system-error.js';
import { wrapped } from '../../output/table.js';
import type { Call } from '../../program/call.js';
import { EXIT } from '../../program/exit/codes.js';
import { paintDiff } from './diff-line.js';

/** An edit of the operator's policy file, as it is shown before anything is written. */
export interface ProposedEdit {
  /** The file as it was named. */
  readonly named: string;
  /** Undefined: there is none yet. */
  readonly before: FileText | undefined;
  readonly text: string;
  /** Its meaning, for people. */
  readonly notes: readonly string[];
  /** Its meaning, for programs. */
  readonly json: Readonly<Record<string, unknown>>;
  /** Why it is shown and not written; undefined where it may be. */
  readonly withheld: string | undefined;
}

/**
 * Shows the edit as a difference, asks for a yes unless `--yes` is given, and writes it. `onWritten` is
 * called then; the JSON has what it gives. Gives the exit code: 1 for a no, 3 if the edit is withheld.
 */
export async function propose(
  call: Call<{ readonly yes: boolean }>,
  { named, before, text, notes, json, withheld }: ProposedEdit,
  answers: Answers,
  onWritten: () => Promise<JsonObject> = () => Promise.resolve({}),
): Promise<number> {
  const { output } = call;
  const diff = unifiedDiff(before?.text ?? '', text, named);
  if (!output.json) {
    output.lines(diff.map((line) => paintDiff(line, output.paint)));
    output.lines(['', ...notes.flatMap((note) => wrapped(note, output.width))]);
  }
  const path = before?.path ?? named;
  const isWritten =
    withheld === undefined && (await agrees(call, `write this to \`${escapeText(named)}\`?`, answers));
  if (isWritten) {
    if (before === undefined) writeFirst(named, text);
    else replaceFileText(before, text, process.pid);
  }
  const also = isWritten ? await onWritten() : {};
  if (output.json) output.value({ written: isWritten, file: path, ...json, diff: diff.join('\n'), ...also });
  else {
    const told = isWritten ? written(call, named, path) : [withheld ?? 'nothing was written'];
    output.lines(told.flatMap((line) => wrapped(line, output.width)));
  }
  if (withheld !== undefined) return EXIT.refused;
  return isWritten ? EXIT.done : EXIT.failed;
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

/** The first policy of a home. Throws `failed` where somebody wrote one meanwhile. */
function writeFirst(path: string, text: string): void {
  let isDone: boolean;
  try {
    isDone = replaceFile(path, `${path}.${process.pid}.new`, {
      bytes: Buffer.from(text),
      mode: 0o600,
      mayReplace: () => !existsSync(path),
    });
  } catch (cause) {
    throw new SublError('failed', `\`${path}\` cannot be written: ${whyOf(cause)}`, {
      cause,
      help: 'see that you can write to its folder',
    });
  }
  if (!isDone)
    throw new SublError('failed', `\`${path}\` was written meanwhile, so nothing was changed`, {
      help: 'run the same command again: it shows the difference anew',
    });
}
