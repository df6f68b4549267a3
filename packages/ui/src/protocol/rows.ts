/** One call, action or connection, in one line. Texts are cut; all of it is in `RecordDetail`. */
export interface Row {
  /** The entry that opened it: its key. */
  readonly seq: number;
  /** Its newest entry. A row with a later `last` takes the place of the same `seq`. */
  readonly last: number;
  /** Epoch ms. */
  readonly ts: number;
  readonly run: string | null;
  /** Of what belongs to no run, who asked: `operator`, `ui:SESSION`. */
  readonly who: string | null;
  readonly kind: 'call' | 'action' | 'net';
  /** Of a call. */
  readonly server: string | null;
  readonly tool: string | null;
  /** Of an action or a connection. */
  readonly action: string | null;
  /** Command, path, query, URL, where it goes, or what an operator's action was about. */
  readonly object: string | null;
  /** `ALLOW`, `BLOCK`, `THROTTLE`, `TERMINATE_RUN`, `REJECT_WITH_HINT`, `ASKED`; null for an action. */
  readonly decision: string | null;
  /** Of a question to a person, once it is over: the answer, or that nobody gave one. */
  readonly answer: 'closed' | 'no' | 'yes' | null;
  /** Null while it is open; `stopped` and `resumed` where somebody stopped everything, or let it go on. */
  readonly status: string | null;
  readonly refused: boolean;
  readonly rule: string | null;
  readonly why: string | null;
  readonly ms: number | null;
  readonly bytes: number | null;
  /** Kinds of what was unusual about it; empty for calls. */
  readonly flags: readonly string[];
}

/** Rows, newest first (`before`) or oldest first (`after`). */
export interface RecordsPage {
  readonly rows: readonly Row[];
  /** Pass it on as `before` (or `after`); null where there is no more. */
  readonly next: number | null;
  /** The time was up before the page was full: ask again from `next`. */
  readonly partial: boolean;
  /** Epoch ms that such a search came to; null if its time was not up. */
  readonly reached: number | null;
  /** Left out, since it cannot be told any more whether they fit. */
  readonly unknown: number;
}

/** A count of the records of a time, in buckets of the same length. */
export interface Histogram {
  readonly from: number;
  readonly to: number;
  /** All records of each bucket; those of them that were refused; those that got a hint or a question. */
  readonly all: readonly number[];
  readonly refused: readonly number[];
  readonly hinted: readonly number[];
  /** Older entries were not counted yet: ask again. */
  readonly partial: boolean;
}

/** The first entry at that time or later; null where there is none. */
export interface At {
  readonly seq: number | null;
}
