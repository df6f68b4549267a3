import type { JsonObject } from '@subluminal/core-types';
import type { Database, Statement } from 'better-sqlite3';
import type { Destination } from '../egress/destination.js';
import { BurstWindow } from './burst-window.js';
import { steadyClock } from './steady-clock.js';

export type AnomalyKind = 'burst' | 'new_domain' | 'large_payload';

/** `approve`: the operator is asked first. `flag`: it is only recorded. */
export type AnomalyReaction = 'approve' | 'flag';

/** Something unusual about one request. `summary` is for people, `facts` for programs. */
export interface AnomalyFlag {
  readonly kind: AnomalyKind;
  readonly reaction: AnomalyReaction;
  readonly summary: string;
  readonly facts: JsonObject;
}

/** One request, as far as the detector looks at it. `client` is the run id or `operator`. */
export interface AnomalyInput {
  readonly client: string;
  readonly action: string;
  readonly destination?: Destination | undefined;
  readonly payloadBytes: number;
}

/** More requests of one client than this within `BURST_WINDOW_MS` are a burst. */
export const BURST_LIMIT = 10;
export const BURST_WINDOW_MS = 5_000;
/** A payload of more bytes than this (1 MiB) is large. */
export const LARGE_PAYLOAD_BYTES = 1_048_576;

const MAX_CLIENTS = 4_096;
const MAX_KNOWN_DOMAINS = 10_000;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS known_domains (
    domain TEXT PRIMARY KEY,
    first_used_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`;

/** Notices bursts, first uses of a destination and large payloads (gateway isolation spec §6). */
export class AnomalyDetector {
  readonly #db: Database;
  readonly #reactions: Readonly<Record<AnomalyKind, AnomalyReaction>>;
  readonly #now: () => number;
  readonly #bursts = new BurstWindow(BURST_LIMIT, BURST_WINDOW_MS, MAX_CLIENTS);
  readonly #findDomain: Statement<[string], number>;

  /** `clock` gives epoch ms. Creates the table where there is none. */
  constructor(db: Database, reactions: Readonly<Record<AnomalyKind, AnomalyReaction>>, clock: () => number) {
    this.#db = db;
    this.#reactions = reactions;
    this.#now = steadyClock(clock);
    db.exec(SCHEMA);
    this.#findDomain = db.prepare<[string], number>('SELECT 1 FROM known_domains WHERE domain = ?').pluck();
  }

  /**
   * Counts requests that an earlier process saw, so that ending the gateway begins no new burst. `ts` is epoch ms; one in
   * the future counts as now. To be called before the first `inspect`.
   */
  restore(requests: readonly { readonly client: string; readonly ts: number }[]): void {
    const now = this.#now();
    const clients = new Map<string, number[]>();
    for (const { client, ts } of requests.toSorted((a, b) => a.ts - b.ts)) {
      const time = Math.min(ts, now);
      if (now - time >= BURST_WINDOW_MS) continue;
      clients.set(client, [...(clients.get(client) ?? []), time]);
    }
    for (const [client, times] of clients) this.#bursts.restore(client, times);
  }

  /** Counts the request as arrived and gives what is unusual about it; an empty list if nothing is. */
  inspect(input: AnomalyInput): AnomalyFlag[] {
    const flags: AnomalyFlag[] = [];
    const arrived = this.#bursts.arrive(input.client, this.#now());
    if (arrived > BURST_LIMIT) {
      flags.push(
        this.#flag('burst', `more than ${BURST_LIMIT} requests within ${BURST_WINDOW_MS / 1000} s`, {
          client: input.client,
          limit: BURST_LIMIT,
          window_ms: BURST_WINDOW_MS,
        }),
      );
    }
    if (input.destination !== undefined && !this.#isKnown(input.destination.host)) {
      flags.push(
        this.#flag('new_domain', `first request to \`${input.destination.host}\``, {
          domain: input.destination.host,
          origin: input.destination.origin,
        }),
      );
    }
    if (input.payloadBytes > LARGE_PAYLOAD_BYTES) {
      flags.push(
        this.#flag('large_payload', `a payload of ${input.payloadBytes} bytes`, {
          bytes: input.payloadBytes,
          limit: LARGE_PAYLOAD_BYTES,
        }),
      );
    }
    return flags;
  }

  /**
   * What is unusual about a connection through the proxy: that it is the first one to that host. It is flagged and nothing
   * more, and counts in no burst: a browser opens a hundred at once.
   */
  inspectConnection(destination: Destination): AnomalyFlag[] {
    const { host, origin } = destination;
    if (this.#isKnown(host)) return [];
    const facts = { domain: host, origin };
    return [{ kind: 'new_domain', reaction: 'flag', summary: `first connection to \`${host}\``, facts }];
  }

  /**
   * The request to `destination` is recorded and about to run: its domain is no longer new. At most 10,000 domains
   * are remembered; the one first used longest ago is forgotten, and is then flagged once more.
   */
  confirm(destination: Destination): void {
    if (this.#isKnown(destination.host)) return;
    this.#db.transaction(() => {
      const added = this.#db
        .prepare('INSERT INTO known_domains VALUES (?, ?) ON CONFLICT DO NOTHING')
        .run(destination.host, this.#now()).changes;
      if (added === 0) return;
      this.#db
        .prepare(
          `DELETE FROM known_domains WHERE domain IN
             (SELECT domain FROM known_domains ORDER BY first_used_at DESC, domain LIMIT -1 OFFSET ?)`,
        )
        .run(MAX_KNOWN_DOMAINS);
    })();
  }

  /** Makes a domain new again: for one that is put on the allowlist. */
  forget(domain: string): void {
    this.#db.prepare('DELETE FROM known_domains WHERE domain = ?').run(domain);
  }

  #isKnown(domain: string): boolean {
    return this.#findDomain.get(domain) !== undefined;
  }

  #flag(kind: AnomalyKind, summary: string, facts: JsonObject): AnomalyFlag {
    return { kind, reaction: this.#reactions[kind], summary, facts };
  }
}
