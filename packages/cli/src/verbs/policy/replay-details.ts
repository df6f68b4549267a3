import type { CallEnd, RecordedCall, Replayed } from '@subluminal/policy';
import { escapeText } from '../../output/escape.js';
import type { Output } from '../../output/output.js';
import { span } from '../../output/time.js';
import type { CallFacts } from '../../record/history.js';
import { becauseText } from './replay-summary.js';

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
    const { output } = { output: this.#output };
    const outcome =
      now === null
        ? verdict === 'unknown'
          ? becauseText(because, missing ?? [])
          : 'the run has ended by then'
        : `${(would ?? now).action}${would === null ? '' : ' (observe)'} ${(would ?? now).rule_id ?? (would ?? now).reason_code}`;
    const took = end === undefined ? '' : `  ${end.status} ${span(end.latency_ms)}`;
    output.line(
      escapeText(
        `${facts.callId}  ${call.server_name}.${call.tool_name}  ${verdict.replaceAll('_', ' ')}: ${call.was.action} → ${outcome}${took}`,
      ),
    );
  }
}
