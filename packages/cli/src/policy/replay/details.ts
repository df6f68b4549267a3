import type { CallEnd, RecordedCall, Replayed, Ruling } from '@subluminal/policy';
import { wordFor, wordForRuling, type CallFacts } from '@subluminal/records';
import { clipObject, escapeText } from '../../output/escape.js';
import type { Output } from '../../output/output.js';
import { wrapped } from '../../output/table.js';
import { span } from '../../output/time.js';
import { becauseText, NAMES } from './summary.js';

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
  readonly #objectOf: (seq: number) => string | null;
  readonly #waiting = new Map<number, Told>();

  /** `objectOf` gives the object of the call with that decision. */
  constructor(output: Output, objectOf: (seq: number) => string | null) {
    this.#output = output;
    this.#objectOf = objectOf;
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
    const object = this.#objectOf(call.ref);
    if (this.#output.json) {
      this.#output.value({
        kind: 'call',
        call_id: facts.callId,
        run_id: call.run_id,
        seq: call.ref,
        ts: new Date(call.ts).toISOString(),
        server_name: call.server_name,
        tool_name: call.tool_name,
        object,
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
    const took = end === undefined ? '' : `  ${wordFor(end.status)} ${span(end.latency_ms)}`;
    const what = `${facts.callId}  ${call.server_name}.${call.tool_name}  ${NAMES[verdict][0]}: ${wordForRuling(call.was.action, call.was.reason_code)} → ${outcome}${took}`;
    this.#output.lines(wrapped(escapeText(what), this.#output.width));
    if (object !== null) this.#output.line(`  ${clipObject(escapeText(object), this.#output.width - 2)}`);
  }
}

function notKnown({ verdict, because, missing }: Replayed): string {
  return verdict === 'unknown' ? becauseText(because, missing ?? []) : 'the run has ended by then';
}

function outcomeText({ action, rule_id, reason_code }: Ruling, isObserved: boolean): string {
  return `${wordForRuling(action, reason_code)}${isObserved ? ' (observe)' : ''} ${rule_id ?? reason_code}`;
}
