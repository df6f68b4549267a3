import { generateKeyPairSync, sign } from 'node:crypto';
import { rawPublicKey, renderVerifierKey, sha256Hex, verifierKey } from '@subluminal/core-types';
import { noteKey, preimage } from '@subluminal/core-types/portable';
import type { Head, Proof, RawPage } from '@subluminal/ui/protocol';
import { openTree } from './tree.js';

const START = '0'.repeat(64);

/** A signed record in memory that answers the routes which a page verifies by. */
export interface SignedRecord {
  readonly ledger: string;
  readonly bodies: readonly string[];
  get(route: string, query?: Readonly<Record<string, string | number | null>>): Promise<never>;
  /** Routes that were asked, with how long each answer takes. */
  readonly asked: string[];
}

/** Signs a record of such bodies by a new key. */
export function signedRecord(ledger: string, bodies: readonly string[]): SignedRecord {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const name = `subluminal/${ledger}`;
  let prev = START;
  const entries = bodies.map((body, index) => {
    const leaf = sha256Hex(preimage(ledger, index + 1, prev, body));
    prev = leaf;
    return { seq: index + 1, body, leaf };
  });
  const tree = openTree(entries.map(({ leaf }) => leaf));
  const size = entries.length;
  const root = Buffer.from(tree.root(size), 'hex').toString('base64');
  const text = `${name}\n${size}\n${root}\n`;
  const { keyId } = noteKey(name, 'log', rawPublicKey(publicKey));
  const blob = Buffer.concat([Buffer.from(keyId, 'hex'), sign(null, Buffer.from(text), privateKey)]);
  const note = `${text}\n— ${name} ${blob.toString('base64')}\n`;
  const key = renderVerifierKey(verifierKey(name, 'log', publicKey));
  const head: Head = { note, size, root, ledger, key, growth: null };
  const proofOf = (seq: number): Proof => {
    const hashes = tree.inclusion(seq - 1, size).map((hash) => Buffer.from(hash, 'hex').toString('base64'));
    const lines = ['c2sp.org/tlog-proof@v1', 'extra ', `index ${seq - 1}`, ...hashes];
    return { seq, proof: `${lines.join('\n')}\n\n${note}` };
  };
  const rawOf = (from: number, to: number): RawPage => ({
    ledger,
    prev: entries[from - 2]?.leaf ?? START,
    entries: entries.slice(from - 1, to),
  });
  const asked: string[] = [];
  return {
    ledger,
    bodies,
    asked,
    async get(route, query = {}) {
      asked.push(`${route} ${JSON.stringify(query)}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
      const seq = Number(route.split('/').at(-1));
      const answer = route.startsWith('/ui/api/head')
        ? head
        : route.startsWith('/ui/api/raw')
          ? rawOf(Number(query['from']), Number(query['to']))
          : proofOf(seq);
      return answer as never;
    },
  };
}

/** The body of an entry, and the entry as `sub show --json` tells it. */
export function entryOf(seq: number, code: string | null = null): { body: string; shown: object } {
  const ts = 1_800_000_000_000 + seq;
  const data = { call: { call_id: `c-${seq}` } };
  const body = JSON.stringify({
    code,
    data: { ...data, '#blobs': { args: { hash: 'h', len: 1, state: 'present' } } },
    ref: null,
    ri: seq,
    run_id: 'r-1',
    tool: ['shell', 'run'],
    ts,
    type: 'tool_call_start',
    v: 1,
  });
  const shown = {
    seq,
    leaf: '',
    ts: new Date(ts).toISOString(),
    type: 'tool_call_start',
    code,
    run_id: 'r-1',
    tool: ['shell', 'run'],
    ref: null,
    run_index: seq,
    request_id: null,
    data,
    blobs: [],
  };
  return { body, shown };
}

/** The storage of a browser, in memory. */
export class Kept implements Storage {
  readonly #held = new Map<string, string>();
  get length(): number {
    return this.#held.size;
  }
  clear(): void {
    this.#held.clear();
  }
  getItem(key: string): string | null {
    return this.#held.get(key) ?? null;
  }
  key(index: number): string | null {
    return [...this.#held.keys()][index] ?? null;
  }
  removeItem(key: string): void {
    this.#held.delete(key);
  }
  setItem(key: string, value: string): void {
    this.#held.set(key, value);
  }
}
