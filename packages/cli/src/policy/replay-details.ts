import type { CallEnd, RecordedCall, Replayed, Ruling } from '@subluminal/policy';
import type { CallFacts } from '@subluminal/records';
import { escapeText } from '../output/escape.js';
import type { Output } from '../output/output.js';
import { span } from '../output/time.js';
import { becauseText, NAMES } from './replay-summary.js';

interface Told {
  readonly call: RecordedCall;
  readonly facts: CallFacts;
  readonly replayed: Replayed;
}

/** Calls that wait for their end; beyond, the oldest is told without it. */
const MAX_WAITING = 4096;

/** Tells each call that does not come out the same: a refused one at once, one that ran with how it ended. */
export class Details {
  readonly #output: Output;
  readonly #waiting = new Map<number, Told>();

  constructor(output: Output) {
    this.#output = output;
  }

  call(call: RecordedCall, facts: CallFacts, replayed: Replayed): void {
    if (replayed.verdict === 'same' && replayed.would === null) return;
    const told = { call, facts, replayed };
    if (call.was.action !== 'ALLOW') return this.#tell(told, undefined);
    this.#waiting.set(call.ref, told);
    if (this.#waiting.size > MAX_WAITING) this.#tellFirst();
  }

  end(ref: number, end: CallEnd): void {
    const told = this.#waiting.get(ref);
    if (told === undefined) return;
    this.#waiting.delete(ref);
    this.#tell(told, end);
  }

  /** Tells what has not ended. */
  flush(): void {
    while (this.#waiting.size > 0) this.#tellFirst();
  }

  #tellFirst(): void {
    for (const [ref, told] of this.#waiting) {
      this.#waiting.delete(ref);
      this.#tell(told, undefined);
      return;
    }
  }

  #tell({ call, facts, replayed }: Told, end: CallEnd | undefined): void {
    const { verdict, now, would, because, missing } = replayed;
    if (this.#output.json) {
      this.#output.value({
        kind: 'call',
        call_id: facts.callId,
        run_id: call.run_id,
        seq: call.ref,
        ts: new Date(call.ts).toISOString(),
        server_name: call.server_name,
        tool_name: call.tool_name,
        args_hash: call.args_hash,
        tags: facts.tags(),
        status: end?.status ?? null,
        latency_ms: end?.latency_ms ?? null,
        verdict,
        was: call.was,
        now,
        would,
        because: because ?? null,
        missing: missing ?? [],
      });
      return;
    }
    const outcome = now === null ? notKnown(replayed) : outcomeText(would ?? now, would !== null);
    const took = end === undefined ? '' : `  ${end.status} ${span(end.latency_ms)}`;
    this.#output.line(
      escapeText(
        `${facts.callId}  ${call.server_name}.${call.tool_name}  ${NAMES[verdict][0]}: ${call.was.action} → ${outcome}${took}`,
      ),
    );
  }
}

function notKnown({ verdict, because, missing }: Replayed): string {
  return verdict === 'unknown' ? becauseText(because, missing ?? []) : 'the run has ended by then';
}

function outcomeText({ action, rule_id, reason_code }: Ruling, isObserved: boolean): string {
  return `${action}${isObserved ? ' (observe)' : ''} ${rule_id ?? reason_code}`;
}
