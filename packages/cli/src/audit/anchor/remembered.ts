import { existsSync } from 'node:fs';
import {
  isJsonObject,
  isSublError,
  numberAt,
  parseJson,
  readNote,
  readVerifierKey,
  textAt,
  verifyNote,
  type JsonObject,
  type VerifierKey,
  renderCheckpointText,
} from '@subluminal/core-types';
import { type AnchoredRoot, openLedgerReader } from '@subluminal/ledger';
import type { HomePaths } from '@subluminal/ipc';
import { findTicket } from '@subluminal/ipc';
import { readAnchors, readOutsideText, readWholeLines } from '../outside-files.js';
import { readGitAnchors } from './git.js';
import { attempt } from '../../program/attempt.js';

/**
 * An anchor as the ledger, or the list beside heads.log, remembers it. `root` is null where only the place is
 * known.
 */
interface Remembered {
  readonly kind: string;
  readonly target: string;
  readonly size: number;
  readonly root: string | null;
  readonly ts: number | null;
  readonly evidence: JsonObject;
}

/** The outcome of the anchors that a ledger remembers. */
export interface RememberedAnchors {
  readonly roots: readonly AnchoredRoot[];
  readonly broken: string | null;
  /** How many there are, and how many of them were held against the ledger. */
  readonly known: number;
  readonly checked: number;
  readonly newest: {
    readonly kind: string;
    readonly target: string;
    readonly size: number;
    readonly ts: number;
  } | null;
}

/** More anchors than these, the newest ones, are not gone through. */
const MAX_ANCHORS = 1000;
const MAX_LIST_BYTES = 1 << 20;

/**
 * Goes to the places that a ledger remembers as holding its checkpoints, as far as that needs no network:
 * files, git repositories, and the cosignatures of witnesses in the ledger itself. A place that is not there
 * proves nothing; one that is there and lacks what was put into it has been changed.
 */
export async function visitAnchors(
  ledger: string,
  headsLog: string | undefined,
  log: VerifierKey,
  home: HomePaths,
): Promise<RememberedAnchors> {
  const visit = new Visit(log, findTicket(home) === undefined);
  const recorded = recordedIn(ledger);
  const listed = listedBeside(headsLog);
  for (const anchor of [...recorded, ...listed]) await visit.check(anchor);
  const newest = recorded[0];
  return {
    roots: visit.roots,
    broken: visit.broken,
    known: recorded.length,
    checked: visit.checked,
    newest:
      newest === undefined
        ? null
        : { kind: newest.kind, target: newest.target, size: newest.size, ts: newest.ts ?? 0 },
  };
}

class Visit {
  readonly roots: AnchoredRoot[] = [];
  broken: string | null = null;
  checked = 0;
  readonly #log: VerifierKey;
  /** Programs are not run inside of a run. */
  readonly #mayRun: boolean;
  readonly #texts = new Map<string, string | undefined>();

  constructor(log: VerifierKey, mayRun: boolean) {
    this.#log = log;
    this.#mayRun = mayRun;
  }

  async check(anchor: Remembered): Promise<void> {
    const { kind, target, size, root } = anchor;
    const source = `the ${kind} anchor \`${target}\``;
    if (root !== null) this.roots.push({ size, root, source: `the entry of ${source}` });
    switch (kind) {
      case 'file':
      case 'git':
        return this.#checkText(anchor, source, await this.#textAt(kind, target));
      case 'witness':
        return this.#checkCosignature(anchor, source);
      default:
    }
  }

  #checkText({ size, root }: Remembered, source: string, text: string | undefined): void {
    if (text === undefined) return;
    const { roots, broken } = readAnchors(text, this.#log, source);
    this.broken ??= broken;
    this.roots.push(
      ...roots.filter(
        (one) => !this.roots.some((other) => other.size === one.size && other.root === one.root),
      ),
    );
    if (root === null) return;
    this.checked += 1;
    if (roots.some((one) => one.size === size && one.root === root)) return;
    this.broken ??= `${source} no longer holds the checkpoint of ${size} entries that was put there`;
  }

  /** A cosignature stands in the ledger: it proves what a witness saw, and when. */
  #checkCosignature({ size, root, evidence }: Remembered, source: string): void {
    const key = readVerifierKey(textAt(evidence, 'witness'));
    if (key === undefined || root === null) return;
    const text = renderCheckpointText({ origin: this.#log.name, size, root });
    const note = readNote(`${text}\n${textAt(evidence, 'cosignature')}\n`);
    this.checked += 1;
    if (note === undefined || typeof verifyNote(note, key) === 'string')
      this.broken ??= `the cosignature of ${source} does not verify`;
  }

  async #textAt(kind: 'file' | 'git', target: string): Promise<string | undefined> {
    const place = `${kind} ${target}`;
    if (!this.#texts.has(place)) this.#texts.set(place, await this.#read(kind, target));
    return this.#texts.get(place);
  }

  /**
   * Undefined for a place that cannot be reached from here; a place that is there and empty has lost
   * everything.
   */
  async #read(kind: 'file' | 'git', target: string): Promise<string | undefined> {
    if (!existsSync(target)) return undefined;
    try {
      if (kind === 'file') return readWholeLines(target);
      return this.#mayRun ? ((await readGitAnchors(target, this.#log)) ?? '') : undefined;
    } catch (error) {
      if (!isSublError(error)) throw error;
      // A file that may be read and is no text any more was overwritten; everything else is out of reach.
      return kind === 'file' && error.cause instanceof TypeError ? '' : undefined;
    }
  }
}

function recordedIn(ledger: string): readonly Remembered[] {
  const reader = openLedgerReader(ledger);
  try {
    return reader.byType('anchored', { limit: MAX_ANCHORS }).rows.flatMap(({ data, ts }) => {
      const size = numberAt(data, 'size');
      const evidence = data['evidence'];
      if (size === undefined) return [];
      return [
        {
          kind: textAt(data, 'kind'),
          target: textAt(data, 'target'),
          size,
          root: textAt(data, 'root'),
          ts,
          evidence: evidence !== undefined && isJsonObject(evidence) ? evidence : {},
        },
      ];
    });
  } finally {
    reader.close();
  }
}

/**
 * The places that were remembered beside heads.log: a ledger that was put back does not know the newest of
 * them.
 */
function listedBeside(headsLog: string | undefined): readonly Remembered[] {
  const path = `${headsLog ?? ''}.anchors`;
  if (headsLog === undefined || !existsSync(path)) return [];
  const text = readOutsideText(path);
  return text
    .slice(0, MAX_LIST_BYTES)
    .split('\n')
    .flatMap((line) => {
      const place = parsePlace(line);
      if (place === undefined) return [];
      return [{ ...place, size: 0, root: null, ts: null, evidence: {} }];
    });
}

function parsePlace(line: string): { readonly kind: string; readonly target: string } | undefined {
  // A crash may have cut a line; the others still name their places.
  const parsed = attempt(() => parseJson(line)) ?? null;
  if (parsed === null || !isJsonObject(parsed)) return undefined;
  return { kind: textAt(parsed, 'kind'), target: textAt(parsed, 'target') };
}
