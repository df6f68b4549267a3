import {
  exactSpans,
  type FindValues,
  type HiddenValue,
  hiddenMark,
  isSublError,
  NO_VALUES,
  type SecretSource,
  withoutValues,
} from '@subluminal/core-types';
import type { EntryInput } from '@subluminal/ledger';
import { hiddenEntry } from '../recording/free-text.js';
import type { HeldSecret, HeldSecretStore } from '../store/held-secrets.js';
import { readSecretFile } from './own-secret-file.js';
import type { SecretStore } from './store.js';
import { toldMark } from './told.js';

/**
 * The most values of one run, and the most characters in all of them: their masking costs memory. The
 * bindings of its servers give far fewer.
 */
const MAX_VALUES = 512;
const MAX_CHARACTERS = 131_072;

/** Stands in place of every free text while a secret is not known that the text may hold. */
const UNTOLD = hiddenMark('untold secret');

/** A value that a server has, and where it was read. */
export interface HeldValue extends HiddenValue {
  readonly source: SecretSource;
  readonly secretRef: string;
}

interface Known {
  readonly values: readonly HiddenValue[];
  /** Made when something is recorded. */
  find?: FindValues | undefined;
}

/**
 * The secrets that the servers of live runs have, or had. No free text in the record of such a run holds one.
 * Their values stand in memory alone. After a restart they are read again; those that cannot be are told by
 * the shims, and until then nothing of the free texts of their runs is recorded.
 */
export class RunSecrets {
  readonly #runs = new Map<string, Known>();
  /** By run: the marks of secrets whose values are not known. */
  readonly #untold = new Map<string, Set<string>>();
  readonly #store: HeldSecretStore;
  readonly #key: Uint8Array;

  constructor(store: HeldSecretStore, key: Uint8Array) {
    this.#store = store;
    this.#key = key;
  }

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

  /** As `add`, of values that gateways after this one have to keep out of the record as well. */
  hold(runId: string, values: readonly HeldValue[]): boolean {
    if (!this.add(runId, values)) return false;
    const held = values.map(({ name, value, source, secretRef }) => ({
      mark: this.#markOf(runId, value),
      name,
      source,
      secretRef,
    }));
    this.#store.add(runId, held);
    for (const { mark } of held) this.#told(runId, mark);
    return true;
  }

  /** Those that were not added before. */
  unknown(runId: string, values: readonly HiddenValue[]): readonly HiddenValue[] {
    const known = new Set(this.#runs.get(runId)?.values.map(({ value }) => value));
    return values.filter(({ value }) => !known.has(value));
  }

  /** Reads again what the servers of live runs have: before anything else of these runs is recorded. */
  restore(secrets: Pick<SecretStore, 'read'>): void {
    for (const { runId, ...held } of this.#store.all()) {
      const value = valueOf(secrets, held);
      const isSame = value !== undefined && this.#markOf(runId, value) === held.mark;
      if (isSame && this.add(runId, [{ name: held.name, value }])) continue;
      const untold = this.#untold.get(runId) ?? new Set();
      this.#untold.set(runId, untold.add(held.mark));
    }
  }

  /** The run has ended. */
  forget(runId: string): void {
    this.#runs.delete(runId);
    this.#untold.delete(runId);
    this.#store.remove(runId);
  }

  /** Tells whether a text holds one as a whole. Of one that is not known, whether it is the text. */
  isIn(runId: string, text: string): boolean {
    const untold = this.#untold.get(runId);
    if (untold?.has(this.#markOf(runId, text)) === true) return true;
    return this.valuesOf(runId)(text, false).length > 0;
  }

  /**
   * Finds them in a text that is about to be shortened or redacted by its shape: a part of one would not be
   * known again.
   */
  readonly valuesOf = (runId: string | null): FindValues => {
    const known = runId === null ? undefined : this.#runs.get(runId);
    return known === undefined ? NO_VALUES : (known.find ??= exactSpans(known.values));
  };

  /** The entry as it may be recorded. */
  hide(entry: EntryInput): EntryInput {
    if (entry.runId === null) return entry;
    if (this.#untold.has(entry.runId)) return hiddenEntry(entry, (text) => (text === '' ? '' : UNTOLD));
    const find = this.valuesOf(entry.runId);
    return find === NO_VALUES ? entry : hiddenEntry(entry, (text) => withoutValues(text, find));
  }

  #told(runId: string, mark: string): void {
    const untold = this.#untold.get(runId);
    untold?.delete(mark);
    if (untold?.size === 0) this.#untold.delete(runId);
  }

  #markOf(runId: string, value: string): string {
    return toldMark(this.#key, { runId, token: '', injectAs: '' }, value);
  }
}

/** Undefined for what a shim alone can read, and for what is not there any more. */
function valueOf(secrets: Pick<SecretStore, 'read'>, { source, secretRef }: HeldSecret): string | undefined {
  if (source !== 'store' && source !== 'file') return undefined;
  try {
    return source === 'file' ? readSecretFile(secretRef) : secrets.read(secretRef);
  } catch (error) {
    if (isSublError(error)) return undefined;
    throw error;
  }
}
