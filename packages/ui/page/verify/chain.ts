import {
  GrowingTree,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  preimage,
} from '@subluminal/core-types/portable';
import type { RawPage } from '../../src/protocol/index.js';

/** The first entry of a range that is not what its place in the chain says, and in which way. */
export interface Broken {
  readonly seq: number;
  readonly why: string;
}

/** An entry as it is shown: read by its members (`sub show --json`), or its body as it stands. */
export interface Shown {
  readonly seq: number;
  readonly entry: JsonObject | string;
}

/** The verdict on a range. `leaf` is that of its last entry, which is `last`. */
export type RangeVerdict =
  | {
      readonly ok: true;
      readonly leaf: string;
      readonly last: number;
      readonly leaves: readonly string[];
    }
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
      return crypto.subtle.digest('SHA-256', encoder.encode(preimage(page.ledger, seq, prev, body)));
    }),
  );
  let leaf = page.prev;
  for (const [index, entry] of page.entries.entries()) {
    if (entry.seq !== first + index) return no(first + index, 'it is not there');
    leaf = hexOf(computed[index]);
    if (leaf !== entry.leaf)
      return no(entry.seq, 'its content does not give the hash that the next entry was built on');
  }
  return {
    ok: true,
    leaf,
    last: first + page.entries.length - 1,
    leaves: page.entries.map((entry) => entry.leaf),
  };
}

/** The first entry that is shown otherwise than its content says, or null. The content is hashed already. */
export function judgeShown(page: RawPage, shown: readonly Shown[]): Broken | null {
  const bodies = new Map(page.entries.map(({ body, seq }) => [seq, body]));
  for (const { entry, seq } of shown) {
    const body = bodies.get(seq);
    // An answer may end before it: then nothing is said of it.
    if (body === undefined) continue;
    const member = typeof entry === 'string' ? (entry === body ? null : 'content') : otherMember(entry, body);
    if (member !== null)
      return { seq, why: `its ${member} is shown otherwise than the content says that was hashed` };
  }
  return null;
}

/** The member of an entry that is not as the body has it. Blobs and the claim of a request lie apart. */
function otherMember(entry: JsonObject, body: string): string | null {
  const read: JsonValue = JSON.parse(body);
  if (!isJsonObject(read) || !isJsonObject(read['data'] ?? null)) return 'content';
  const { '#blobs': _blobs, '#seen': _seen, ...data } = Object(read['data']) as JsonObject;
  const pairs: readonly (readonly [string, JsonValue | undefined, JsonValue | undefined])[] = [
    ['type', entry['type'], read['type']],
    ['code', entry['code'], read['code']],
    ['run', entry['run_id'], read['run_id']],
    ['tool', entry['tool'], read['tool']],
    ['time', momentOf(entry['ts']), read['ts']],
    ['reference', entry['ref'], read['ref']],
    ['data', entry['data'], data],
  ];
  return pairs.find(([, one, other]) => !areSame(one ?? null, other ?? null))?.[0] ?? null;
}

function momentOf(text: JsonValue | undefined): JsonValue {
  return typeof text === 'string' ? Date.parse(text) : null;
}

/** Tells whether two values are the same; the order of members does not count. */
function areSame(one: JsonValue, other: JsonValue): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [mine, theirs] = [new Map(Object.entries(one)), new Map(Object.entries(other))];
  return (
    mine.size === theirs.size &&
    [...mine].every(([name, value]) => {
      const there = theirs.get(name);
      return there !== undefined && areSame(value, there);
    })
  );
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
