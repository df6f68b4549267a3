/** A run, in one line. Times are epoch ms. */
export interface RunRow {
  readonly run: string;
  /** The entry that began it. */
  readonly seq: number;
  readonly agent: string;
  readonly client: string;
  readonly env: string;
  readonly attested: boolean;
  readonly folder: string | null;
  readonly began: number;
  readonly ended: number | null;
  /** `live`, or how it ended. */
  readonly state: string;
  readonly calls: number;
  /** Calls that were not let through, and asked nobody; those that a person was asked about. */
  readonly refused: number;
  readonly asked: number;
  readonly errors: number;
  readonly net: number;
  /** Connections that were refused; different names that were, which came to no connection. */
  readonly net_refused: number;
  readonly names_refused: number;
  readonly unusual: number;
}

/**
 * The activity of a run over its own time: what began in each bucket, and what was refused there without a
 * question to a person. Buckets follow each other from the beginning of the run; empty ones at the end are
 * left out.
 */
export interface Spark {
  readonly width_ms: number;
  readonly all: readonly number[];
  readonly refused: readonly number[];
}

/** `spark`: null for a run that is not counted (yet). */
export interface ListedRun extends RunRow {
  readonly spark: Spark | null;
}

export interface RunsPage {
  readonly runs: readonly ListedRun[];
  readonly next: number | null;
}

/** The agents of the newest runs, and their folders; a text is empty, a folder null, if it is not known. */
export interface Agents {
  readonly runs: readonly Pick<RunRow, 'run' | 'agent' | 'client' | 'folder'>[];
}

/** Where a run went; `port`: null for a name that was refused, bytes: null as long as nothing has ended. */
export interface RunPlaces {
  readonly places: readonly {
    readonly host: string;
    readonly port: number | null;
    readonly passed: number;
    readonly refused: number;
    readonly up: number | null;
    readonly down: number | null;
  }[];
  readonly more: number;
  /** Nothing was left out but `more`. */
  readonly is_whole: boolean;
}

/**
 * `call` tool calls of a server, `net` connections, `hook` events of a client, `world` commands, `file`
 * changes of files, `policy` policies, waivers and rules of it, `answer` answers of the operator, `run` its
 * life.
 */
export type LaneKind = 'answer' | 'call' | 'file' | 'hook' | 'net' | 'plane' | 'policy' | 'run' | 'world';

/** Something that a run did, or that was done about it. */
export interface TimelineItem {
  /** The entry that opened it: its key. */
  readonly seq: number;
  readonly last: number;
  readonly lane: string;
  readonly kind: LaneKind;
  readonly from: number;
  /** Null while it goes on; `from` for a moment. */
  readonly to: number | null;
  /** How long the deed itself took, in milliseconds; null where that was not measured. */
  readonly ms: number | null;
  readonly label: string;
  readonly decision: string | null;
  readonly answer: 'closed' | 'no' | 'yes' | null;
  readonly status: string | null;
  readonly refused: boolean;
  /** The item that it belongs to: `id` by an id that both carry, `time` by their times alone. */
  readonly parent: { readonly seq: number; readonly by: 'id' | 'time' } | null;
}

/** A page of the deeds of a run, and those that were asked for by their entries, as they are now. */
export interface RunTimeline {
  /** With the first page and with the last one: it is counted over the whole run. */
  readonly run: RunRow | null;
  readonly items: readonly TimelineItem[];
  /** Pass it on as `after`: no entry up to it has to be read again. */
  readonly upto: number;
  readonly has_more: boolean;
}

/** Deeds that are asked for by their entries at once. */
export const MOST_AGAIN = 100;
