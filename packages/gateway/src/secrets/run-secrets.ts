import { exactMask, type ExactMask, type HiddenValue } from '@subluminal/core-types';
import type { EntryInput } from '@subluminal/ledger';
import { hiddenEntry } from '../recording/free-text.js';

/**
 * The most values of one run, and the most characters in all of them: their masking costs memory. The
 * bindings of its servers give far fewer.
 */
const MAX_VALUES = 512;
const MAX_CHARACTERS = 131_072;

interface Known {
  readonly values: readonly HiddenValue[];
  /** Made when something is recorded. */
  mask?: ExactMask | undefined;
}

/**
 * The secrets that the servers of live runs have. No free text in the record of such a run holds one. They
 * stand in memory alone; after a restart the shims tell their servers' secrets.
 */
export class RunSecrets {
  readonly #runs = new Map<string, Known>();

  /** False where a run has too many, and these were not taken. */
  add(runId: string, values: readonly HiddenValue[]): boolean {
    const known = this.#runs.get(runId)?.values ?? [];
    const fresh = this.unknown(runId, values);
    if (fresh.length === 0) return true;
    const all = [...known, ...fresh];
    const characters = all.reduce((sum, { value }) => sum + value.length, 0);
    if (all.length > MAX_VALUES || characters > MAX_CHARACTERS) return false;
    this.#runs.set(runId, { values: all });
    return true;
  }

  /** Those that were not added before. */
  unknown(runId: string, values: readonly HiddenValue[]): readonly HiddenValue[] {
    const known = new Set(this.#runs.get(runId)?.values.map(({ value }) => value));
    return values.filter(({ value }) => !known.has(value));
  }

  /** The run has ended. */
  forget(runId: string): void {
    this.#runs.delete(runId);
  }

  /** Tells whether a text holds one as a whole. */
  isIn(runId: string, text: string): boolean {
    const mask = this.#maskOf(runId);
    return mask !== undefined && mask(text, false) !== text;
  }

  /** The entry as it may be recorded. */
  hide(entry: EntryInput): EntryInput {
    const mask = entry.runId === null ? undefined : this.#maskOf(entry.runId);
    return mask === undefined ? entry : hiddenEntry(entry, mask);
  }

  #maskOf(runId: string): ExactMask | undefined {
    const known = this.#runs.get(runId);
    if (known === undefined) return undefined;
    return (known.mask ??= exactMask(known.values));
  }
}
