import {
  canonicalize,
  MAX_SNAPSHOT_CHARS,
  MAX_SNAPSHOT_MS,
  sha256Hex,
  type JsonObject,
  type SnapshotHead,
} from '@subluminal/core-types';
import { chargeData, policyRef } from '@subluminal/policy';
import { policyData } from '@subluminal/gateway';
import type { Clock, RandomBytes } from '@subluminal/gateway';
import type { Logger } from '@subluminal/gateway';
import type { PolicyHolder } from '@subluminal/gateway';
import type { BoundRun, Projects } from '@subluminal/gateway';
import type { LimitsWatch } from '@subluminal/gateway';
import type { Run, RunSession } from '@subluminal/gateway';
import { startTicking } from '@subluminal/gateway';
import type { KnownTools } from '@subluminal/gateway';
import type { AwayKeys } from './keys.js';

/**
 * How often a shim that is connected gets a new one: a gateway that is gone has given it at most so long ago.
 */
const RENEW_MS = 60_000;

/** What snapshots are made from. */
export interface SnapshotsParts {
  readonly keys: AwayKeys;
  readonly policy: PolicyHolder;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly log: Logger;
  readonly projects: Pick<Projects, 'of' | 'onChange'>;
  readonly tools: Pick<KnownTools, 'factsOf'>;
  readonly maxPreviewBytes: () => number;
}

/** A shim that is connected. */
interface Holder {
  readonly session: RunSession;
  readonly shimId: string;
  readonly serverName: string;
  /** The snapshot that it has; undefined for none. */
  snapshot: string | undefined;
  /** What it was told of its server's tools. */
  facts: string;
}

/**
 * Hands connected shims what they need to go on with reads while no gateway answers
 * (`defaults.fail_open_read_tools`): the policy and the state of their run's limits, signed, for one shim and
 * a few minutes. What is charged afterwards is told to them as it happens, so that a gateway which is killed
 * leaves no more than what was left of each limit.
 */
export class Snapshots {
  readonly #parts: SnapshotsParts;
  readonly #holders = new Map<Run, Map<string, Holder>>();

  constructor(parts: SnapshotsParts) {
    this.#parts = parts;
  }

  /** Begins to renew, and to follow the policy. Returns the function that ends it. */
  start(): () => void {
    const { policy, projects, log } = this.#parts;
    const failed = (error: unknown): void =>
      log.error('snapshots could not be renewed', { error: String(error) });
    const stopTicking = startTicking(RENEW_MS, failed, () => this.renew());
    const stopListening = policy.onChange(() => this.renew());
    const stopFollowing = projects.onChange((run) => this.#bound(run));
    return () => {
      stopTicking();
      stopListening();
      stopFollowing();
    };
  }

  /** A shim is connected; one that was connected before takes its own place. */
  attach(
    run: Run,
    shim: { readonly session: RunSession; readonly shimId: string; readonly serverName: string },
  ): void {
    const holders = this.#holders.get(run) ?? new Map<string, Holder>();
    holders.set(shim.shimId, { ...shim, snapshot: undefined, facts: '' });
    this.#holders.set(run, holders);
    run.limits.watch(this.#watchOf(run));
    this.renewOf(run);
  }

  /** Gives every shim that is still connected a new snapshot, or takes away the one that it has. */
  renew(): void {
    for (const run of this.#holders.keys()) this.renewOf(run);
  }

  /** The same for the shims of one run: something changed that they have to know. */
  renewOf(run: Run): void {
    const holders = this.#holders.get(run);
    if (holders === undefined) return;
    for (const [id, { session }] of holders) if (!run.sessions.has(session)) holders.delete(id);
    if (holders.size === 0) {
      this.#holders.delete(run);
      run.limits.watch(undefined);
    }
    for (const holder of holders.values()) this.#give(run, holder, holders.size);
  }

  /** Other policies bind that run, or without one any. */
  #bound(bound: BoundRun | undefined): void {
    if (bound === undefined) return this.renew();
    for (const run of this.#holders.keys()) if (run.id === bound.id) this.renewOf(run);
  }

  /** Something became known of the tools of a server: in whatever run, its shims have to know. */
  toolsChanged(serverName: string): void {
    const facts = canonicalize(this.#parts.tools.factsOf(serverName));
    for (const [run, holders] of this.#holders) {
      const isNews = (holder: Holder): boolean => holder.serverName === serverName && holder.facts !== facts;
      if ([...holders.values()].some(isNews)) this.renewOf(run);
    }
  }

  /** What is counted of the run: whoever has a snapshot of it counts the same. */
  #watchOf(run: Run): LimitsWatch {
    return {
      charged: (charge, ts) => {
        if (charge.length > 0)
          this.#tell(run, () => ({ type: 'snapshot_charged', charge: chargeData(charge), ts }));
      },
      settled: (charge, { status, latency_ms }, ts) => {
        if (charge.length === 0) return;
        this.#tell(run, () => ({
          type: 'snapshot_settled',
          charge: chargeData(charge),
          latency_ms,
          status,
          ts,
        }));
      },
      changed: () => this.renewOf(run),
    };
  }

  #tell(run: Run, event: () => JsonObject): void {
    const holders = this.#holders.get(run);
    if (holders === undefined) return;
    let told: JsonObject | undefined;
    for (const { session, snapshot } of holders.values()) {
      if (snapshot === undefined || !run.sessions.has(session)) continue;
      told ??= event();
      session.push({ ...told, id: snapshot });
    }
  }

  #give(run: Run, holder: Holder, shares: number): void {
    const { keys, clock, random, policy, log } = this.#parts;
    const body = this.#mayHave(run) ? this.#body(run, holder, shares) : undefined;
    if (body === undefined || body.length > MAX_SNAPSHOT_CHARS) {
      if (body !== undefined)
        log.warn('a snapshot would be too large', { run: run.id, characters: body.length });
      if (holder.snapshot !== undefined)
        holder.session.push({ type: 'snapshot_dropped', id: holder.snapshot });
      holder.snapshot = undefined;
      return;
    }
    const issued = clock();
    const head: SnapshotHead = {
      v: 1,
      id: Buffer.from(random(16)).toString('base64url'),
      run_id: run.id,
      shim_id: holder.shimId,
      server_name: holder.serverName,
      issued_ms: issued,
      expires_ms: issued + MAX_SNAPSHOT_MS,
      policy: policyRef(policy.current.snapshot),
      body_hash: sha256Hex(body),
    };
    holder.session.push({
      type: 'snapshot',
      head: { ...head, policy: policyData(head.policy) },
      signature: keys.sign(head),
      body,
      key: keys.publicText,
      secret: keys.secretOf(head.id),
    });
    holder.snapshot = head.id;
  }

  #mayHave(run: Run): boolean {
    const { policy, projects } = this.#parts;
    const { snapshot } = policy.current;
    const isOver = run.state !== 'live' || run.limits.isTerminated;
    const isCounted = run.behind === undefined;
    // Two policies are more than a shim holds: such a run waits for the gateway.
    const isNarrowed = run.policy !== undefined || projects.of(run).length > 0;
    const isClosed = isOver || isNarrowed || run.noSnapshots;
    return snapshot.defaults.fail_open_read_tools && isCounted && !isClosed;
  }

  #body(run: Run, holder: Holder, shares: number): string {
    const { tools, policy } = this.#parts;
    const facts = tools.factsOf(holder.serverName);
    const { only, raised } = facts;
    holder.facts = canonicalize(facts);
    return canonicalize({
      only,
      identity: run.identity,
      policy: policy.current.snapshot.plain,
      previews: this.#parts.maxPreviewBytes(),
      raised,
      shares,
      state: run.limits.state.needed(),
      waivers: run.limits.waivers.filter(({ server_name }) => server_name === holder.serverName),
    });
  }
}
