import {
  type FindValues,
  isSublError,
  MAX_SPOOL_CALLS,
  type JsonObject,
  type ProcessIdentity,
} from '@subluminal/core-types';
import type { EntryInput, Ledger } from '@subluminal/ledger';
import { unreportedEndEntry } from '@subluminal/gateway';
import type { Clock } from '@subluminal/gateway';
import type { Logger } from '@subluminal/gateway';
import type { Recorder } from '@subluminal/gateway';
import type { OpenCall, Run } from '@subluminal/gateway';
import type { SpoolCharges } from './charges.js';
import { callEntries, ingestedEntry, refusedEntry, replayedEntry, type CountedCall } from './entries.js';
import type { AwayKeys } from './keys.js';
import { checkSpool, type BadSpool, type Claim, type GoodSpool, type SpoolReason } from './read-spool.js';
import type { BeginBody } from './spool-form.js';

/** What spools are ingested with. */
export interface IngestionParts {
  readonly keys: AwayKeys;
  readonly ledger: Pick<Ledger, 'seenOutcome'>;
  readonly recorder: Recorder;
  readonly charges: SpoolCharges;
  /** Told of a run whose shims may decide nothing alone any more. */
  readonly onDistrust: (run: Run) => void;
  readonly maxPreviewBytes: () => number;
  /** Finds the secrets of a run's servers. */
  readonly valuesOf: (runId: string) => FindValues;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A spool as somebody brought it. */
export interface BroughtSpool {
  readonly text: string;
  /** The server of the shim that brings it, for what does not name one itself. */
  readonly server: string;
  /** What its shim says that it wrote; undefined where that one does not live any more. */
  readonly claim: Claim | undefined;
  /** Whose it is by the name that it lies under; undefined where it lies nowhere. */
  readonly owner: ProcessIdentity | undefined;
  /** `shim`: in a request that the run's key signed. `folder`: found in the home. */
  readonly from: 'shim' | 'folder';
  /** The request, as entries name it. */
  readonly request: JsonObject | undefined;
}

/** What became of it. */
export type Ingested =
  | { readonly outcome: 'ingested'; readonly calls: number }
  | { readonly outcome: 'refused'; readonly reason: SpoolReason }
  | { readonly outcome: 'replayed' };

const CUT_OFF = 'the shim was gone before the end of the call was written';
const UNHEARD = 'the decision did not reach the shim, which made the call alone';
const CUT_OFF_END = { status: 'ERROR', latency_ms: 0 } as const;

/**
 * Takes in what shims did while no gateway answered: once, all of a spool in one commit, as testimony. Limits
 * are charged for it before anything else of the run is decided, also for what is not believed, and nothing
 * is given back.
 */
export class Ingestion {
  readonly #parts: IngestionParts;
  readonly #running = new Map<string, { readonly last: string; readonly taken: Promise<Ingested> }>();
  /**
   * The charges for spools that the ledger could not take yet: spools of that kind are brought again, and not
   * charged again.
   */
  readonly #counted = new WeakMap<Run, Map<string, readonly CountedCall[]>>();

  constructor(parts: IngestionParts) {
    this.#parts = parts;
  }

  /** @throws SublError of the recorder: nothing was taken in, and the spool has to be brought again. */
  ingest(run: Run, brought: BroughtSpool): Promise<Ingested> {
    const { keys } = this.#parts;
    const spool = checkSpool(keys, run.id, brought);
    if (!spool.ok) return this.#refuse(run, spool, brought);
    const { id } = spool.header.head;
    const running = this.#running.get(id);
    if (running !== undefined) {
      // What goes on behind that is another spool, once the first is taken in.
      return running.last === spool.last
        ? running.taken
        : running.taken.then(
            () => this.ingest(run, brought),
            () => this.ingest(run, brought),
          );
    }
    const taken = this.#take(run, spool, brought).finally(() => this.#running.delete(id));
    this.#running.set(id, { last: spool.last, taken });
    return taken;
  }

  async #take(run: Run, spool: GoodSpool, brought: BroughtSpool): Promise<Ingested> {
    const { keys, ledger } = this.#parts;
    const { id } = spool.header.head;
    const claim = keys.claimOf(id);
    if ((await ledger.seenOutcome(run.id, claim)) !== null) return await this.#takeRest(run, spool, brought);
    return await this.#takeAll(run, spool, brought, claim);
  }

  /**
   * A spool that was taken in before is so up to where it went then: whoever copies the beginning of what a
   * shim writes, and brings it first, has achieved nothing. Its calls are those whose ids are new.
   */
  async #takeRest(run: Run, spool: GoodSpool, brought: BroughtSpool): Promise<Ingested> {
    const { keys, ledger } = this.#parts;
    const { id } = spool.header.head;
    const claim = keys.claimOf(`${id}.${spool.lines}`);
    const seen = await ledger.seenOutcome(run.id, claim);
    const counted = this.#counted
      .get(run)
      ?.get(claim)
      ?.map(({ call }) => call);
    const calls = counted ?? spool.calls.filter(({ begin }) => run.callIds.isNew(begin.call_id));
    if (calls.length === 0 || seen !== null) {
      return await this.#replayed(run, id, brought);
    }
    return await this.#takeAll(run, { ...spool, calls }, brought, claim);
  }

  async #takeAll(run: Run, spool: GoodSpool, brought: BroughtSpool, claim: string): Promise<Ingested> {
    // What is counted and what is recorded are kept for a next start together, or not at all.
    const release = run.limits.hold();
    try {
      return await this.#record(run, spool, brought, claim);
    } finally {
      for (const { begin } of spool.calls) run.limits.recorded(begin.call_id);
      release();
    }
  }

  async #record(run: Run, spool: GoodSpool, brought: BroughtSpool, claim: string): Promise<Ingested> {
    const { recorder, clock } = this.#parts;
    const { id } = spool.header.head;
    const ts = clock();
    const lives = brought.from === 'shim';
    const counted = this.#count(run, spool, { ts, lives, claim });
    if (counted === undefined) return this.#refuse(run, usedId(spool), brought);
    const source = { runId: run.id, ts, spool };
    const shown = { maxPreviewBytes: this.#parts.maxPreviewBytes(), values: this.#parts.valuesOf(run.id) };
    const open: { readonly at: number; readonly call: CountedCall }[] = [];
    const entries: EntryInput[] = [ingestedEntry(source, fromData(brought))];
    for (const one of counted) {
      entries.push(...callEntries(source, one, shown));
      if (one.call.end !== undefined) continue;
      if (lives) open.push({ at: entries.length - 1, call: one });
      else entries.push(cutOff(run.id, openCall(spool, one, 0, ts), ts));
    }
    const result = await recorder.append({ entries, seen: { runId: run.id, id: claim } });
    if (!result.ok) return this.#replayed(run, id, brought);
    this.#counted.get(run)?.delete(claim);
    run.counters.calls_allowed += counted.length;
    run.counters.errors_total += counted.filter(({ call }) =>
      call.end === undefined ? !lives : call.end.end.status !== 'OK',
    ).length;
    await this.#closeAsked(run, spool, ts);
    for (const { at, call } of open) {
      const began = openCall(spool, call, result.entries[at]?.seq ?? 0, ts);
      run.openCalls.set(began.callId, began);
    }
    return { outcome: 'ingested', calls: counted.length };
  }

  /**
   * Closes what a gateway had allowed whose answer did not arrive: the shim made the same call alone, under
   * another id, and will not end it twice.
   */
  async #closeAsked(run: Run, spool: GoodSpool, ts: number): Promise<void> {
    const { shim_id: shimId } = spool.header.head;
    for (const { begin } of spool.calls) {
      const open = run.openCalls.get(begin.asked);
      if (open === undefined || open.shimId !== shimId) continue;
      try {
        await this.#parts.recorder.append({ entries: [unreportedEndEntry(run.id, open, ts, UNHEARD)] });
        if (!run.openCalls.delete(begin.asked)) continue;
        run.limits.settle(open, { status: 'ERROR', latency_ms: Math.max(0, ts - open.startedMs) }, ts);
        run.counters.errors_total += 1;
      } catch (error) {
        // The recorder has told the log. It stays open, and is closed with its run at the latest.
        if (!isSublError(error)) throw error;
      }
    }
  }

  /** Numbers and charges the calls of a spool, once; undefined where one of its ids was used before. */
  #count(
    run: Run,
    spool: GoodSpool,
    { ts, lives, claim }: { readonly ts: number; readonly lives: boolean; readonly claim: string },
  ): readonly CountedCall[] | undefined {
    const { charges } = this.#parts;
    const { server_name: server, policy } = spool.header.head;
    const spooled = { server, under: policy.policy_hash };
    const ofRun = this.#counted.get(run) ?? new Map<string, readonly CountedCall[]>();
    const known = ofRun.get(claim);
    if (known !== undefined) return known;
    for (const { begin } of spool.calls) if (run.callIds.claim(begin.call_id) !== 'claimed') return undefined;
    const counted = spool.calls.map((call): CountedCall => {
      const { charge, facts, now } = charges.charge(run, spooled, call.begin, ts);
      const { call_id: callId } = call.begin;
      const end = call.end?.end ?? (lives ? undefined : CUT_OFF_END);
      if (end !== undefined) run.limits.settle({ callId, charge, isSettled: false }, end, ts);
      return { call, seq: run.nextCallSeq(), charge, facts, now };
    });
    ofRun.set(claim, counted);
    this.#counted.set(run, ofRun);
    return counted;
  }

  /**
   * A spool that is not believed is recorded and has no effect on any other run. The run pays for every call
   * that can be read in it, and for those that it is short of, as long as it was the run's own: presented
   * with its key, or begun with the MAC of one of its shims. What lies in its folder and was never its own
   * could have been put there by anybody.
   */
  async #refuse(run: Run, bad: BadSpool, brought: BroughtSpool): Promise<Ingested> {
    const { recorder, clock, charges, onDistrust, log } = this.#parts;
    const isOwn = brought.from === 'shim' || bad.ownHeader;
    const ts = clock();
    const calls = isOwn ? withMissing(bad.calls, brought.claim) : [];
    const spooled = { server: bad.server ?? brought.server, under: undefined };
    log.warn('a spool was refused', { run: run.id, reason: bad.reason });
    const release = run.limits.hold();
    try {
      const charge = calls.flatMap((begin) => [...charges.charge(run, spooled, begin, ts).charge]);
      if (isOwn) {
        run.noSnapshots = true;
        onDistrust(run);
      }
      const entry = refusedEntry(run.id, ts, bad, {
        from: fromData(brought),
        claim: brought.claim,
        code: isOwn ? 'error' : 'rejected',
        charged: calls.length,
        charge: charges.dataOf(charge),
      });
      await recorder.append({ entries: [entry] });
    } finally {
      for (const { call_id: callId } of calls) run.limits.recorded(callId);
      release();
    }
    return { outcome: 'refused', reason: bad.reason };
  }

  /** Nothing is charged twice. A file that was taken in and not removed any more is nothing to tell of. */
  async #replayed(run: Run, id: string, brought: BroughtSpool): Promise<Ingested> {
    const { recorder, clock } = this.#parts;
    if (brought.from === 'shim') {
      const entry = replayedEntry(run.id, clock(), id, fromData(brought));
      await recorder.append({ entries: [entry] });
    }
    return { outcome: 'replayed' };
  }
}

/** The calls that can be read, and for each that is missing the last of them once more. */
function withMissing(calls: readonly BeginBody[], claim: Claim | undefined): readonly BeginBody[] {
  const last = calls.at(-1);
  const missing = Math.min(claim?.calls ?? 0, MAX_SPOOL_CALLS) - calls.length;
  return last === undefined || missing <= 0 ? calls : [...calls, ...Array<BeginBody>(missing).fill(last)];
}

function fromData({ from, request }: BroughtSpool): JsonObject {
  return request === undefined ? { from } : { from, req: request };
}

function usedId(spool: GoodSpool): BadSpool {
  const { id, server_name: server } = spool.header.head;
  const calls = spool.calls.map(({ begin }) => begin);
  return { ok: false, reason: 'used_id', at: undefined, id, server, ownHeader: true, calls };
}

function openCall(
  spool: GoodSpool,
  { call, charge }: CountedCall,
  decisionSeq: number,
  ts: number,
): OpenCall {
  const { shim_id: shimId, server_name: server } = spool.header.head;
  const { call_id: callId, args_hash: argsHash, tool_name: tool } = call.begin;
  return {
    callId,
    shimId,
    tool: [server, tool],
    argsHash,
    decisionSeq,
    startedMs: ts,
    charge,
    isSettled: false,
  };
}

/** The end of a call whose shim died: it refers to the decision in front of it in its group. */
function cutOff(runId: string, open: OpenCall, ts: number): EntryInput {
  const { ref: _, ...entry } = unreportedEndEntry(runId, open, ts, CUT_OFF);
  return entry;
}
