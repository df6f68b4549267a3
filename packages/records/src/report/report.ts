import type { LedgerRow } from '@subluminal/ledger';
import type { QuestionEnd } from '../questions/ends.js';

/** The runs and the time that a report is about. */
export interface ReportScope {
  readonly runId?: string | undefined;
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
}

/** A run of the report, as far as the record tells of it. */
export interface ReportedRun {
  readonly runId: string;
  /** Undefined if its beginning is not there. */
  readonly start: LedgerRow | undefined;
  readonly end: LedgerRow | undefined;
  calls: number;
}

export interface ReportedFile {
  readonly path: string;
  reads: number;
  writes: number;
  deletes: number;
}

/** A file that differs in the layer of a world, by what the commands of a run did to it. */
export interface ReportedLayered {
  /** The folder of the project, empty if it is not known, and the place of the file there. */
  readonly folder: string;
  readonly path: string;
  /** `+`, `~` or `-`. */
  readonly sign: string;
  /** The project has it by now: somebody has taken it over. */
  readonly isTaken: boolean;
}

export interface ReportedCommand {
  readonly command: string;
  times: number;
  failed: number;
}

export interface ReportedHost {
  readonly host: string;
  calls: number;
  connections: number;
  bytesUp: number;
  bytesDown: number;
}

export interface ReportedTool {
  readonly server: string;
  readonly tool: string;
  calls: number;
  /** Refused for a question to a person, or otherwise. */
  asked: number;
  refused: number;
  failed: number;
}

export interface ReportedAction {
  readonly action: string;
  readonly destination: string;
  times: number;
  refused: number;
}

/** Calls, actions and connections that one rule or reason kept from happening. */
export interface ReportedRefusal {
  /** The rule, else the code of the reason. */
  readonly source: string;
  readonly name: string;
  readonly object: string | null;
  readonly why: string;
  /** The newest one. */
  readonly seq: number;
  /** The policy only observed: it happened. */
  readonly isObserved: boolean;
  times: number;
}

export interface ReportedQuestion {
  /** The entry of its call; undefined if that is not there. */
  readonly seq: number | undefined;
  readonly ts: number;
  readonly ruleId: string;
  readonly name: string;
  readonly object: string | null;
  readonly end: QuestionEnd | undefined;
}

/** Things of one kind, the most frequent first, and how many had no room beside them. */
export interface Reported<Row> {
  readonly rows: readonly Row[];
  readonly left: number;
}

/** The work of agents in one run, or in some time. */
export interface Report {
  readonly scope: ReportScope;
  /** The newest first. */
  readonly runs: Reported<ReportedRun>;
  readonly calls: {
    readonly total: number;
    readonly ran: number;
    readonly asked: number;
    readonly refused: number;
    /** Of those that ran. */
    readonly failed: number;
    /** Of those that ran: they were cut off, or nobody told how they ended. */
    readonly unfinished: number;
    /** Of those that ran: the policy only observed, and would have refused them. */
    readonly observed: number;
    /** Whose files, commands or hosts are not known, all of them. */
    readonly unread: number;
  };
  /** Through the proxy; those that were refused are no calls. */
  readonly connections: { readonly total: number; readonly refused: number };
  readonly files: Reported<ReportedFile>;
  /** Files that commands in worlds changed in a layer, and not in the project. */
  readonly layered: Reported<ReportedLayered>;
  /** Programs that were started in worlds, besides their first ones. */
  readonly programs: number;
  readonly commands: Reported<ReportedCommand>;
  readonly hosts: Reported<ReportedHost>;
  readonly tools: Reported<ReportedTool>;
  readonly actions: Reported<ReportedAction>;
  readonly refusals: Reported<ReportedRefusal>;
  readonly questions: Reported<ReportedQuestion>;
  /** Other entries that people want to know of, the newest first. */
  readonly notable: Reported<LedgerRow>;
  /** The times of the oldest and the newest call or action that was read; undefined if there is none. */
  readonly firstMs: number | undefined;
  readonly lastMs: number | undefined;
  /** There is more, older than `firstMs`, which was not read. */
  readonly isCut: boolean;
}
