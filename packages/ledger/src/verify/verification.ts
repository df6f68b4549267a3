import { isSublError } from '@subluminal/core-types';
import type { Genesis } from '../genesis/record.js';
import type { Head } from '../head/row.js';
import type { EntryChecker } from './entries.js';
import type { Memory } from './memory.js';
import type { MissingFiles } from './placement.js';
import { VERDICT_EXIT, type Finding, type FindingClass, type Verdict, type VerifyReport } from './report.js';
import type { WalkedRestore } from './seals.js';
import { SqliteError } from '../sqlite/open.js';

/** The state once everything was checked. */
interface Checked {
  readonly checker: EntryChecker;
  readonly head: Head;
  readonly memory: Memory;
}

/** The facts known so far; they become the report. */
export class Verification {
  genesis: Genesis | undefined;
  head: Head | undefined;
  memory: Memory | undefined;
  checker: EntryChecker | undefined;
  /** The files before the walk, which are not there. */
  missing: MissingFiles | null = null;
  /** Entries before the walk. */
  start = 0;
  /** Receipts and anchors that speak of what is not there. */
  unseen = 0;
  /** Files that were verified. */
  files = 0;
  #verdict: Verdict = 'unchecked';
  #finding: Finding | null = null;
  readonly #reasons: string[] = [];
  #help: string | null = null;

  found(finding: Finding): void {
    this.#finding = finding;
    this.#verdict = 'tampered';
  }

  /** Something could not be read: damage is a finding, anything else leaves the ledger unchecked. */
  failed(error: unknown): void {
    const seq = (this.checker?.frontier.size ?? -1) + 1;
    const detail = error instanceof Error ? error.message : String(error);
    if (isSublError(error, 'ledger_corrupt')) return this.found({ seq: 0, class: 'page', detail });
    const classes: Partial<Record<string, FindingClass>> = { SQLITE_CORRUPT: 'page', SQLITE_NOTADB: 'page' };
    const damaged = error instanceof SqliteError ? classes[error.code.slice(0, 14)] : undefined;
    if (damaged !== undefined) return this.found({ seq, class: damaged, detail });
    this.#reasons.push(detail);
    if (isSublError(error)) this.#help = error.help ?? null;
  }

  /** Everything was checked, and nothing found wrong. */
  complete({ checker, head, memory }: Checked, live: boolean): void {
    const { size } = checker.frontier;
    if (this.missing !== null) this.#reasons.push(missingReason(this.missing, this.start));
    if (this.unseen > 0)
      this.#reasons.push(
        `${this.unseen} of the receipts and anchors could not be checked: their entries are in files that are not there`,
      );
    if (memory.missing !== null) this.#reasons.push(memory.missing);
    if (size === 0) this.#reasons.push('the ledger is empty');
    // Where a gateway is at work, the head with its two signatures stands in until the first seal is due.
    if (size > 0 && checker.seals.sealedSize === 0 && !live) this.#reasons.push('nothing in it is sealed');
    const behind = size - head.checkpoint.size;
    if (behind > 0 && !live)
      this.#reasons.push(`${behind} entries lie behind the signed head, and no gateway runs`);
    this.#verdict = this.#reasons.length === 0 ? 'ok' : 'unproven';
  }

  report(): VerifyReport {
    const { checker } = this;
    const newest = this.memory?.lines.at(-1);
    return {
      verdict: this.#verdict,
      exit: VERDICT_EXIT[this.#verdict],
      finding: this.#finding,
      reasons: this.#reasons,
      help: this.#help,
      ledgerId: this.genesis?.ledgerId ?? null,
      genesisFingerprint: this.genesis?.fingerprint ?? null,
      entries: checker?.frontier.size ?? 0,
      segments: { verified: this.files, missing: this.missing?.count ?? 0, first: this.start + 1 },
      runs: checker?.runs.count ?? 0,
      blobs: checker?.blobs ?? 0,
      expired: checker?.expiry.expired ?? 0,
      open: checker?.open.size ?? 0,
      root: checker?.frontier.root() ?? null,
      headSize: this.head?.checkpoint.size ?? null,
      seals: checker?.seals.verified ?? 0,
      sealedSize: checker?.seals.sealedSize ?? 0,
      notes: this.#notes(),
      memory: newest === undefined ? null : { size: newest.size, ts: newest.ts },
    };
  }

  #notes(): string[] {
    const { checker } = this;
    if (this.#verdict === 'tampered' || checker === undefined) return [];
    const behind = checker.seals.behind(checker.frontier.size);
    const restores = checker.seals.restores.map(restoreNote);
    if (behind === 0) return restores;
    const entries = behind === 1 ? '1 entry lies' : `${behind} entries lie`;
    return [
      ...restores,
      checker.seals.count === 0
        ? 'nothing is sealed yet: whoever holds the first seal key could rewrite every entry'
        : `${entries} behind the newest seal: whoever holds the next seal key could rewrite what lies there`,
    ];
  }
}

/** `start`: entries before the first file that was verified. */
function missingReason({ from, to, first }: MissingFiles, start: number): string {
  const which = from === to ? `file ${to} is` : `files ${from} to ${to} are`;
  const range = first <= start ? ` (entries ${first} to ${start})` : '';
  return `entries 1 to ${start} were not verified: ${which} not in \`segments\`${range}`;
}

/** Said for ever: what was given up is nowhere else. */
function restoreNote({ seq, ts, size, knownSize, reason }: WalkedRestore): string {
  const why = reason === '' ? '' : ` (${reason})`;
  const when = new Date(ts).toISOString();
  return `restored at ${when} from a backup of ${size} entries, entry ${seq}: ${knownSize - size} later entries were given up${why}`;
}
