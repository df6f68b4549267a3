import * as z from 'zod';
import {
  ANOMALY_KINDS,
  type AnomalyKind,
  type Finding,
  type Read,
  type RunSubject,
} from '@subluminal/gateway';
import { RunReads } from './reads/reads.js';

/** Flags of one kind that are recorded of a run; further ones are counted. */
export const MAX_FLAGS = 32;
const MAX_SENT = 256;
const MAX_PLACES = 1024;

const Count = z.number().nonnegative();
const Kept = z.object({
  used: z.boolean(),
  told: z.boolean(),
  sent: z.array(z.tuple([z.string(), Count])),
  /** Not there in what an earlier version kept. */
  received: z.array(z.tuple([z.string(), Count])).default([]),
  /** An earlier version counted other kinds as well. */
  counts: z.array(z.tuple([z.string(), Count])),
  sends: z.array(z.string()),
  reads: z.array(
    z.object({
      what: z.string(),
      place: z.string().optional(),
      ts: z.number(),
      ref: z.string(),
      untrusted: z.boolean(),
      private: z.boolean(),
    }),
  ),
});

/** A connection that is open: where to, and since when, epoch ms. */
export interface OpenConnection {
  readonly host: string;
  readonly ts: number;
}

/** What is remembered of one run while it lives. Each part is bounded. */
export class RunMemory {
  /** In the store. Nobody but the operator gets the first form. */
  readonly key: string;
  readonly name: string;
  readonly reads = new RunReads();
  /** Bytes by host, of the first 256 hosts. */
  readonly sent = new Map<string, number>();
  /** What came from them over connections. */
  readonly #received = new Map<string, number>();
  /** It has used some place. */
  used = false;
  readonly #places = new Set<string>();
  /** That its agent has no past was said. */
  toldOfPast = false;
  /** Places of which it was said that something was sent there after a read. */
  readonly sends = new Set<string>();
  readonly counts = new Map<AnomalyKind, number>();
  /**
   * By the number of their entries; how many there may be is limited before. What a restart cuts has no end
   * to be compared.
   */
  readonly #open = new Map<number, OpenConnection>();
  /** It is not as it was kept. */
  changed = false;

  constructor({ attested, identity }: Pick<RunSubject, 'attested' | 'identity'>) {
    this.name = identity.agent_id;
    this.key = `${attested ? 'run' : 'shim'} ${this.name}`;
  }

  /** That was said, of these places, and is not said again of this run. */
  said({ kind, facts }: Finding, places: readonly string[]): void {
    const host = typeof facts['host'] === 'string' ? facts['host'] : '';
    if (kind === 'send_after_untrusted_read')
      for (const place of places) if (this.sends.size < MAX_SENT) this.sends.add(place);
    if (kind === 'new_for_agent' && host === '') this.toldOfPast = true;
    this.changed = true;
  }

  /** It is in the store that the agent uses the place. */
  use(place: string): void {
    this.used = true;
    this.changed = true;
    if (this.#places.size < MAX_PLACES) this.#places.add(place);
  }

  /** What it has used, as far as is remembered. */
  get places(): Iterable<string> {
    return this.#places;
  }

  /** What is not remembered has to be looked up. */
  hasUsed(place: string): boolean {
    return this.#places.has(place);
  }

  /** A connection is open. */
  opened(seq: number, connection: OpenConnection): void {
    this.#open.set(seq, connection);
  }

  /** It is not any more. */
  closed(seq: number): OpenConnection | undefined {
    const connection = this.#open.get(seq);
    this.#open.delete(seq);
    return connection;
  }

  /** Counts bytes that leave; gives how many went there in all. */
  send(host: string, bytes: number): number {
    this.changed = true;
    const all = (this.sent.get(host) ?? 0) + bytes;
    if (this.sent.has(host) || this.sent.size < MAX_SENT) this.sent.set(host, all);
    return all;
  }

  /** Counts bytes that come; gives how many came from there in all. */
  receive(host: string, bytes: number): number {
    const all = (this.#received.get(host) ?? 0) + bytes;
    if (this.#received.has(host) || this.#received.size < MAX_SENT) this.#received.set(host, all);
    return all;
  }

  read(read: Read): void {
    this.reads.add(read);
    this.changed = true;
  }

  /** Counts a flag; gives how many there are of its kind. */
  count(kind: AnomalyKind): number {
    const count = (this.counts.get(kind) ?? 0) + 1;
    this.counts.set(kind, count);
    this.changed = true;
    return count;
  }

  /** As text, for a later process. */
  kept(): string {
    const kept: z.infer<typeof Kept> = {
      used: this.used,
      told: this.toldOfPast,
      sent: [...this.sent],
      received: [...this.#received],
      counts: [...this.counts],
      sends: [...this.sends],
      reads: [...this.reads.all],
    };
    return JSON.stringify(kept);
  }

  /**
   * Goes on with what an earlier process kept, up to `now`, epoch ms: a clock that went back hides nothing.
   * Text that cannot be read is left out: then more is unusual.
   */
  restore(text: string, now: number): void {
    const kept = parsed(text);
    if (kept === undefined) return;
    this.used = kept.used;
    this.toldOfPast = kept.told;
    for (const [host, bytes] of kept.sent.slice(0, MAX_SENT)) this.sent.set(host, bytes);
    for (const [host, bytes] of kept.received.slice(0, MAX_SENT)) this.#received.set(host, bytes);
    for (const [kind, count] of kept.counts) if (isKind(kind)) this.counts.set(kind, count);
    for (const place of kept.sends) this.sends.add(place);
    for (const { place, ...read } of kept.reads)
      this.reads.add({ ...read, place, ts: Math.min(read.ts, now) });
  }
}

function parsed(text: string): z.infer<typeof Kept> | undefined {
  try {
    return Kept.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function isKind(name: string): name is AnomalyKind {
  return (ANOMALY_KINDS as readonly string[]).includes(name);
}
