import { isSublError } from '@subluminal/core-types';
import type { AppendGroup, Ledger } from '@subluminal/ledger';
import type { Clock } from '../base/clock.js';
import { errorText, type Logger } from '../base/logger.js';
import type { RejectionBuckets } from '../pace/rejections.js';
import type { LateResults } from '../recording/late-results.js';
import { auditRef, type Recorder } from '../recording/recorder.js';
import type { Call } from './call.js';
import { anomalyEntry, rejectedEntry, resultEntry } from './entries.js';
import { recordedOutcome } from './recorded-outcome.js';
import type { Refusal, Reply } from './reply.js';
import type { StageName } from './stage.js';
import type { Steps } from './steps.js';

/** Stages at which the request is known to be its caller's: from here on a refusal claims the request id. */
const CLAIMING: ReadonlySet<StageName> = new Set(['allowlist', 'rate-limit', 'anomaly']);

export interface RefusalsParts {
  readonly ledger: Pick<Ledger, 'seenOutcome'>;
  readonly recorder: Recorder;
  readonly late: Pick<LateResults, 'add'>;
  readonly rejections: RejectionBuckets;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Records every refusal with its stage and reason before it is answered. */
export class Refusals {
  readonly #parts: RefusalsParts;

  constructor(parts: RefusalsParts) {
    this.#parts = parts;
  }

  /** Records the refusal, and gives the answer. `steps`: undefined where a gate has refused. */
  async answer(call: Call, stage: StageName, given: Refusal, steps: Steps | undefined): Promise<Reply> {
    const refusal = call.hops === 0 ? given : behindRedirects(given, call.hops);
    // At once, and not with the answer: what came right behind it is waiting already.
    if (refusal.close === true) call.origin.cut();
    const recorded = await this.#record(call, stage, refusal, steps);
    refusal.recorded?.(recorded.auditRef !== '');
    const { status, error, data, close = false } = recorded.refusal;
    const { requestId, requestMac } = call;
    const reply = { status, error, requestId, requestMac, auditRef: recorded.auditRef, close };
    return data === undefined ? reply : { ...reply, data };
  }

  async #record(
    call: Call,
    stage: StageName,
    refusal: Refusal,
    steps: Steps | undefined,
  ): Promise<{ readonly refusal: Refusal; readonly auditRef: string }> {
    const group = this.#groupFor(call, stage, refusal, steps);
    if (group === undefined) return { refusal, auditRef: '' };
    try {
      const result = await this.#parts.recorder.append(group);
      // Where the flags alone are recorded, no entry says that it was refused.
      const isRefused = group.entries.at(-1)?.type !== 'anomaly';
      if (result.ok) return { refusal, auditRef: isRefused ? auditRef(result.entries.at(-1)) : '' };
      if (result.conflict === 'ref') return { refusal, auditRef: '' };
      return {
        refusal: recordedOutcome(await this.#parts.ledger.seenOutcome(call.runId, call.requestId)),
        auditRef: '',
      };
    } catch (error) {
      if (!isSublError(error)) throw error;
      // Nothing was going to happen, so it stays a refusal; that it is not recorded is visible in its empty
      // reference.
      this.#parts.log.warn('a refusal was not recorded', {
        code: refusal.error.code,
        error: errorText(error),
      });
      const [entry] = group.entries;
      if (call.pendingSeq !== undefined && entry?.type === 'action_result') {
        // Nobody has it among what is open any more (see `#groupFor`).
        this.#parts.late.add(call.pendingSeq, entry, () => undefined);
      }
      return { refusal, auditRef: '' };
    }
  }

  #groupFor(
    call: Call,
    stage: StageName,
    refusal: Refusal,
    steps: Steps | undefined,
  ): AppendGroup | undefined {
    const now = this.#parts.clock();
    if (call.pendingSeq !== undefined && steps !== undefined && steps.result !== 'none') {
      // Decided anew and refused after its entry was written: the entry gets its result.
      if (stage === 'audit-result') return undefined;
      call.caller.run?.openPendings.delete(call.pendingSeq);
      return { entries: [resultEntry(call, refusal, call.pendingSeq, now)] };
    }
    const seen = { runId: call.runId, id: call.requestId };
    if (refusal.entries !== undefined) return { entries: refusal.entries, seen };
    const isTaken = this.#parts.rejections.take(call.caller.source);
    // Flags are bounded by themselves, and each is said once: no flood of refusals hides them.
    const flags = isTaken ? call.flags : call.flags.filter(({ reaction }) => reaction === 'flag');
    if (!isTaken && flags.length === 0) return undefined;
    const entries = flags.map((flag) => anomalyEntry(call, flag));
    if (isTaken) entries.push(rejectedEntry(call, { stage, refusal, about: steps?.about() ?? {}, ts: now }));
    return CLAIMING.has(stage) && call.hops === 0 ? { entries, seen } : { entries };
  }
}

/** The place that a service led to is refused. That the service was asked, and answered, stays true. */
function behindRedirects({ error, ...refusal }: Refusal, redirects: number): Refusal {
  const message = `${error.message}; what was asked for was sent, and answered with a redirect to there`;
  return { ...refusal, error: { ...error, message, details: { ...error.details, redirects } } };
}
