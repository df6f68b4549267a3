import { readFileSync, statSync } from 'node:fs';
import { SublError, type VerifierKey } from '@subluminal/core-types';
import { type AnchoredRoot, openLogNote, type Receipt, splitNotes } from '@subluminal/ledger';
import { whyOf } from '../output/system-error.js';

const MAX_BYTES = 64 << 20;
const RECEIPT = /^([1-9][0-9]{0,15})\.([0-9a-f]{64})$/;

/** The option of a command line that named a file, and what belongs there. */
export interface NamedBy {
  readonly option: string;
  readonly help: string;
}

/** The text of a file that somebody kept outside. Throws `usage` where it cannot be read. */
export function readOutsideText(path: string, by?: NamedBy): string {
  return readText(path, (bytes) => bytes.length, by);
}

/**
 * As `readOutsideText`, without what stands behind the last newline: a crash may have cut a line, and a
 * character.
 */
export function readWholeLines(path: string, by?: NamedBy): string {
  return readText(path, (bytes) => bytes.lastIndexOf(0x0a) + 1, by);
}

function readText(path: string, endOf: (bytes: Buffer) => number, by?: NamedBy): string {
  try {
    // A pipe or device in its place would hold up whoever reads it, without end.
    const stats = statSync(path);
    if (!stats.isFile() || stats.size > MAX_BYTES) throw new Error('it is no file of at most 64 MiB');
    const bytes = readFileSync(path);
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.subarray(0, endOf(bytes)));
  } catch (cause) {
    const message = `\`${path}\` cannot be read: ${whyOf(cause)}`;
    if (by === undefined) throw new SublError('usage', message, { cause });
    throw new SublError('usage', `\`${by.option}\`: ${message}`, { cause, help: by.help });
  }
}

/** An audit reference, `<seq>.<leaf>`; undefined for any other text. */
export function readReceipt(text: string): Receipt | undefined {
  const [, seq, leaf] = RECEIPT.exec(text) ?? [];
  if (seq === undefined || leaf === undefined || !Number.isSafeInteger(Number(seq))) return undefined;
  return { seq: Number(seq), leaf };
}

/** The receipts of a file, one a line; empty lines are left out. Throws `usage` for a line that is none. */
export function readReceipts(path: string): readonly Receipt[] {
  return readOutsideText(path, {
    option: '--receipts',
    help: 'name a file of audit references, `<seq>.<leaf>`, one a line',
  })
    .split('\n')
    .flatMap((line, at) => {
      if (line.trim() === '') return [];
      const receipt = readReceipt(line.trim());
      if (receipt !== undefined) return [receipt];
      throw new SublError('usage', `line ${at + 1} of \`${path}\` is not a receipt`, {
        help: 'a receipt is an audit reference, `<seq>.<leaf>`, as answers and `sub show` give it',
      });
    });
}

/**
 * A file of signed notes, without one that a crash cut. Throws `usage` where there is not a whole one in it.
 */
export function readCheckpoints(path: string): string {
  const help = 'name a file that `sub audit checkpoint --out FILE` wrote';
  const text = readWholeLines(path, { option: '--checkpoint', help });
  if (splitNotes(text).notes.length > 0) return text;
  throw new SublError('usage', `there is no checkpoint in \`${path}\``, {
    help: 'a checkpoint is what `sub audit checkpoint` prints',
  });
}

/**
 * The checkpoints of one ledger in a text of notes, and what is wrong with others that claim to be its own.
 */
export interface ReadAnchors {
  readonly roots: readonly AnchoredRoot[];
  /** Why a note that names this ledger is not one of its checkpoints; null where all are. */
  readonly broken: string | null;
}

/**
 * Reads the checkpoints of `log` out of a text of signed notes. Those of other ledgers are nobody's business
 * here.
 */
export function readAnchors(text: string, log: VerifierKey, source: string): ReadAnchors {
  const roots: AnchoredRoot[] = [];
  let broken: string | null = null;
  for (const note of splitNotes(text).notes) {
    const checkpoint = openLogNote(note, log);
    if (typeof checkpoint !== 'string') roots.push({ size: checkpoint.size, root: checkpoint.root, source });
    else if (note.startsWith(`${log.name}\n`)) broken ??= `a note in ${source}: ${checkpoint}`;
  }
  return { roots, broken };
}
