import type { LedgerReader } from '@subluminal/ledger';
import type { CallRecord } from '@subluminal/records';
import type { Surface } from '../output/style.js';
import { wrapped } from '../output/table.js';
import type { Call } from '../program/call.js';
import { verdictLines, waysTold, whyLines } from '../why/lines.js';
import { refusalOf } from '../why/refusal.js';
import type { Gathered } from './gathered.js';
import type { Move } from './keys.js';
import type { Shown } from './screen.js';
import { type Standing, stripOf } from './strip.js';

export interface TopViewParts {
  readonly reader: LedgerReader;
  readonly gathered: Gathered;
  /** The operator looks, and is told of ways that a run may not go. */
  readonly isOutside: boolean;
}

/** The place on the screen where a person is: the newest refusal, until they move to another one. */
export class TopView {
  readonly #call: Call;
  readonly #parts: TopViewParts;
  #seq: number | undefined;
  #isOpen = false;

  constructor(call: Call, parts: TopViewParts) {
    this.#call = call;
    this.#parts = parts;
  }

  move(move: Exclude<Move, 'end'>): void {
    if (move === 'open' || move === 'back') {
      this.#isOpen = move === 'open' && this.#refusals.length > 0;
      return;
    }
    const last = this.#refusals.length - 1;
    const to = { up: this.#at - 1, down: this.#at + 1, first: 0, last }[move];
    const at = Math.max(0, Math.min(last, to));
    // The first one is whichever is the newest, as more come.
    this.#seq = at === 0 ? undefined : this.#refusals[at]?.first.seq;
  }

  shown(standing: Standing): Shown {
    const { gathered } = this.#parts;
    const now = this.#call.session.now();
    const record = this.#refusals[this.#at];
    return {
      strip: stripOf(standing),
      runs: gathered.runs(now),
      refusals: this.#refusals,
      at: this.#at,
      why: (columns) => (record === undefined ? [] : this.#why(record, columns, now)),
      isOpen: this.#isOpen,
      now,
    };
  }

  get #refusals(): readonly CallRecord[] {
    return this.#parts.gathered.refusals.all;
  }

  /** One that has gone from the list counts as its last. */
  get #at(): number {
    if (this.#seq === undefined) return 0;
    const at = this.#refusals.findIndex(({ first }) => first.seq === this.#seq);
    return at === -1 ? this.#refusals.length - 1 : at;
  }

  #why(record: CallRecord, width: number, now: number): readonly string[] {
    const { reader, isOutside } = this.#parts;
    const surface: Surface = { paint: this.#call.output.paint, width };
    const refusal = refusalOf(this.#call, reader, record);
    const told = { ...surface, now, isOutside };
    if (this.#isOpen) return whyLines(refusal, told);
    const ways = waysTold(refusal, isOutside).flatMap((way) => wrapped(way, width));
    return [...verdictLines(refusal, told), ...ways];
  }
}
