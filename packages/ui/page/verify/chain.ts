import { GrowingTree, leafText } from '@subluminal/core-types/portable';
import type { RawPage } from '../../src/protocol/index.js';

/** The first entry of a range that is not what its place in the chain says, and in which way. */
export interface Broken {
  readonly seq: number;
  readonly why: string;
}

/** The verdict on a range. `leaf` is that of its last entry. */
export type RangeVerdict =
  | { readonly ok: true; readonly leaf: string; readonly leaves: readonly string[] }
  | { readonly ok: false; readonly broken: Broken };

/**
 * Hashes a range of entries again: each body has to give its leaf, and each leaf is part of the next.
 * `before` is the leaf that was computed for the entry in front of it, or null where none was.
 */
export async function judgeRange(page: RawPage, first: number, before: string | null): Promise<RangeVerdict> {
  if (before !== null && page.prev !== before)
    return no(first - 1, 'it is another entry than was hashed a moment ago');
  const encoder = new TextEncoder();
  const computed = await Promise.all(
    page.entries.map(({ seq, body }, index) => {
      const prev = index === 0 ? page.prev : (page.entries[index - 1]?.leaf ?? '');
      return crypto.subtle.digest(
        'SHA-256',
        encoder.encode(leafText({ ledger: page.ledger, seq, prev, body })),
      );
    }),
  );
  let leaf = page.prev;
  for (const [index, entry] of page.entries.entries()) {
    if (entry.seq !== first + index) return no(first + index, 'it is not there');
    leaf = hexOf(computed[index]);
    if (leaf !== entry.leaf)
      return no(entry.seq, 'its content does not give the hash that the next entry was built on');
  }
  return { ok: true, leaf, leaves: page.entries.map((entry) => entry.leaf) };
}

/** Where a walk over all entries stands. */
export interface Walk {
  readonly next: number;
  readonly size: number;
  readonly done: boolean;
  readonly broken: Broken | null;
}

/** A walk over the whole record, from its first entry to the size of a signed checkpoint. */
export class WholeRecord {
  readonly #size: number;
  readonly #root: string;
  readonly #tree = new GrowingTree();
  #before: string | null = null;

  constructor(size: number, root: string) {
    this.#size = size;
    this.#root = root;
  }

  /** Takes the next range of entries. */
  async take(page: RawPage): Promise<Walk> {
    const first = this.#tree.size + 1;
    const verdict = await judgeRange(page, first, this.#before);
    if (!verdict.ok) return this.#standing(verdict.broken);
    if (verdict.leaves.length === 0) return this.#standing({ seq: first, why: 'it is not there' });
    for (const leaf of verdict.leaves) if (this.#tree.size < this.#size) this.#tree.push(leaf);
    this.#before = verdict.leaf;
    if (this.#tree.size < this.#size) return this.#standing(null);
    const isThat = this.#tree.root() === this.#root;
    return this.#standing(
      isThat ? null : { seq: this.#size, why: 'all entries together do not give the root that was signed' },
    );
  }

  #standing(broken: Broken | null): Walk {
    const next = this.#tree.size + 1;
    return { next, size: this.#size, done: broken === null && next > this.#size, broken };
  }
}

function no(seq: number, why: string): RangeVerdict {
  return { ok: false, broken: { seq, why } };
}

function hexOf(buffer: ArrayBuffer | undefined): string {
  if (buffer === undefined) return '';
  return Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
