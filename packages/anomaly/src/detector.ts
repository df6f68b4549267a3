import type { Database } from 'better-sqlite3';
import type { Destination } from '@subluminal/egress';
import {
  type AnomalyFlag,
  type AnomalyInput,
  type AnomalyReaction,
  type AnomalyReactions,
  type Confirmed,
  type Detector,
  type Finding,
  type Read,
  type RunSubject,
  type Sends,
  type Target,
  steadyClock,
} from '@subluminal/gateway';
import { AgentPast, MIN_RUNS } from './agent-past.js';
import { Bursts } from './bursts.js';
import { KnownDomains } from './known-domains.js';
import { largePayload } from './large-payload.js';
import { newForAgent } from './new-for-agent.js';
import { RunMemories } from './run-memories.js';
import { MAX_FLAGS, type RunMemory } from './run-memory.js';
import { connectionSends, isSend, sendAfterRead } from './reads/untrusted-read.js';

/** The parts of the detector. `clock` gives epoch ms. */
export interface DetectorParts {
  readonly db: Database;
  readonly reactions: () => AnomalyReactions;
  readonly clock: () => number;
}

/**
 * Notices what is unusual: one kind a file of this folder (docs/anomalies.md). Of a run 32 flags of a kind
 * are given, further ones are counted; those that need the operator's answer are always given.
 */
export class AnomalyDetector implements Detector {
  readonly #reactions: () => AnomalyReactions;
  readonly #now: () => number;
  readonly #bursts = new Bursts();
  readonly #domains: KnownDomains;
  readonly #past: AgentPast;
  readonly #runs: RunMemories;
  readonly #db: Database;

  constructor({ db, reactions, clock }: DetectorParts) {
    this.#db = db;
    this.#reactions = reactions;
    this.#now = steadyClock(clock);
    this.#domains = new KnownDomains(db);
    this.#past = new AgentPast(db);
    this.#runs = new RunMemories(db, this.#now);
  }

  /**
   * Counts requests that an earlier process saw, so that ending the gateway begins no new burst. To be called
   * before the first `inspect`.
   */
  restore(requests: readonly { readonly client: string; readonly ts: number }[]): void {
    this.#bursts.restore(requests, this.#now());
  }

  /** Counts the request as arrived and gives what is unusual about it; an empty list if nothing is. */
  inspect({ client, run, destination, payloadBytes, sends }: AnomalyInput): AnomalyFlag[] {
    const memory = run === undefined ? undefined : this.#runs.of(run);
    const burst = this.#bursts.arrive(client, this.#now());
    const found = [
      burst,
      destination === undefined ? undefined : this.#newPlace(memory, destination, 'request'),
      largePayload(payloadBytes),
      ...(memory === undefined || sends === undefined ? [] : [this.#send(memory, sends)]),
    ];
    return this.#flags(memory, found);
  }

  /**
   * Flags what is unusual about a connection through the proxy. A flag does nothing more, and counts in no
   * burst: a browser opens a hundred at once.
   */
  inspectConnection(run: RunSubject, destination: Destination): AnomalyFlag[] {
    const memory = this.#runs.of(run);
    return this.#flags(memory, [this.#newPlace(memory, destination, 'connection')], 'flag');
  }

  /**
   * The decision is recorded and about to be carried out: its destination is not new any more, and what was
   * said of the run is not said again.
   */
  confirm({ run, destination, flags, payloadBytes = 0, sends, connection }: Confirmed): void {
    const now = this.#now();
    const memory = run === undefined ? undefined : this.#runs.of(run);
    const places = (sends?.targets ?? []).map(({ place }) => place);
    if (memory !== undefined) for (const flag of flags) memory.said(flag, places);
    if (destination !== undefined) places.push(destination.host);
    this.#use(memory, destination, places, now);
    if (memory === undefined || destination === undefined) return;
    const { host } = destination;
    memory.send(host, payloadBytes);
    if (connection === undefined) return;
    memory.opened(connection.seq, { host, ts: now });
    if (connection.listed) return;
    const read = { what: `\`${host}\``, place: host, ts: now, ref: connection.ref };
    memory.read({ ...read, untrusted: true, private: false });
  }

  /** The run has read something, or is about to: what it may do with it is looked at from here on. */
  read(run: RunSubject, read: Omit<Read, 'ts'>): void {
    this.#runs.of(run).read({ ...read, ts: this.#now() });
  }

  /** A connection of the run is over; what is unusual about what it carried, in bytes. */
  connectionEnded(run: RunSubject, seq: number, up: number, down: number): AnomalyFlag[] {
    const memory = this.#runs.of(run);
    const opened = memory.closed(seq);
    if (opened === undefined) return [];
    const { host, ts } = opened;
    const [allUp, allDown] = [memory.send(host, up), memory.receive(host, down)];
    const isOne = isSend(up, down, memory.reads.private !== undefined);
    // In parts it is as much.
    const bytes = isOne ? up : isSend(allUp, allDown, false) ? allUp : undefined;
    const sends = bytes === undefined ? undefined : this.#send(memory, connectionSends(host, bytes), ts);
    const flags = this.#flags(memory, [sends], 'flag');
    if (sends !== undefined) memory.said(sends, [host]);
    return flags;
  }

  /** Makes a domain new again: for one that is put on the allowlist. */
  forget(domain: string): void {
    this.#domains.forget(domain);
  }

  /** How many flags of each kind a run had, those included that were only counted; undefined for none. */
  counts(run: RunSubject): Readonly<Record<string, number>> | undefined {
    const { counts } = this.#runs.of(run);
    return counts.size === 0 ? undefined : Object.fromEntries(counts);
  }

  /** The run is over: what it did is its agent's past. */
  ended(run: RunSubject): void {
    const memory = this.#runs.of(run);
    this.#db.transaction(() => {
      if (memory.used) this.#past.ended(memory.key, memory.places, this.#now());
      this.#runs.forget(run.id);
    })();
  }

  /** Keeps what runs did, for the next process. */
  keep(): void {
    this.#runs.keep();
  }

  #newPlace(
    memory: RunMemory | undefined,
    { host, origin }: Destination,
    verb: 'request' | 'connection',
  ): Finding | undefined {
    if (!this.#domains.has(host)) {
      const facts = { domain: host, origin };
      return { kind: 'new_domain', summary: `first ${verb} to \`${host}\``, facts };
    }
    if (memory === undefined || memory.hasUsed(host) || this.#reactions().new_for_agent === 'off')
      return undefined;
    const found = newForAgent(this.#past, { key: memory.key, name: memory.name, host, verb });
    if (found === undefined || (found.ofAgent && memory.toldOfPast)) return undefined;
    return found.finding;
  }

  /** In one commit; without anything new there is none. */
  #use(
    memory: RunMemory | undefined,
    destination: Destination | undefined,
    places: readonly string[],
    now: number,
  ): void {
    const fresh = memory === undefined ? [] : places.filter((place) => !memory.hasUsed(place));
    const domain =
      destination === undefined || this.#domains.has(destination.host) ? undefined : destination.host;
    if (fresh.length === 0 && domain === undefined) return;
    this.#db.transaction(() => {
      if (domain !== undefined) this.#domains.add(domain, now);
      if (memory !== undefined) this.#past.use(memory.key, fresh, now);
    })();
    if (memory !== undefined) for (const place of fresh) memory.use(place);
  }

  /**
   * Of what a run sends: whether some of it goes to where its agent had sent nothing before the run read what
   * others can write. `ts`: when it began.
   */
  #send(memory: RunMemory, { what, targets }: Sends, ts = this.#now()): Finding | undefined {
    const reaction = this.#reactions().send_after_untrusted_read;
    if (reaction === 'off') return undefined;
    const own = memory.reads.private;
    const isNew = ({ place }: Target): boolean => {
      // What waits for an answer is asked each time.
      if (reaction === 'flag' && memory.sends.has(place)) return false;
      const read = memory.reads.untrustedBefore(ts, place);
      return read !== undefined && this.#isNewSince(memory, place, read.sinceMs);
    };
    const fresh = targets.filter(isNew);
    const [first] = fresh;
    const read = first === undefined ? undefined : memory.reads.untrustedBefore(ts, first.place);
    if (read === undefined) return undefined;
    return sendAfterRead({ what, targets: fresh }, ts, { newest: read.newest, private: own }, memory.name);
  }

  /**
   * An agent without a past is taken for all of them together; where nobody has one, everything counts as
   * known, but for a run that read something private.
   */
  #isNewSince(memory: RunMemory, place: string, sinceMs: number): boolean {
    const { key } = memory;
    const hasPast = this.#past.runs(key) >= MIN_RUNS;
    if (!hasPast && this.#past.runsOfOthers(key) < MIN_RUNS && memory.reads.private === undefined)
      return false;
    const first = hasPast ? this.#past.firstUse(key, place) : this.#past.firstUseOfAny(place);
    return first === undefined || first >= sinceMs;
  }

  /** `only`: the reaction where nothing can wait for an answer. */
  #flags(
    memory: RunMemory | undefined,
    found: readonly (Finding | undefined)[],
    only?: AnomalyReaction,
  ): AnomalyFlag[] {
    return found.flatMap((finding) => {
      if (finding === undefined) return [];
      const configured = this.#reactions()[finding.kind];
      if (configured === 'off') return [];
      const reaction = only ?? configured;
      const count = memory?.count(finding.kind) ?? 0;
      if (reaction === 'flag' && count > MAX_FLAGS) return [];
      const summary =
        count === MAX_FLAGS ? `${finding.summary}; more of this kind are only counted` : finding.summary;
      return [{ ...finding, summary, reaction }];
    });
  }
}
