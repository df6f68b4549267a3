/** A fact that a client may show of an action, or not. */
export type Telemetry = 'life' | 'protection' | 'status' | 'target' | 'time' | 'tool';

/** All of it, as Claude Code shows it. */
export const ALL_TELEMETRY: readonly Telemetry[] = ['life', 'protection', 'status', 'target', 'time', 'tool'];

/** Whether a call of the form's tool has the form. Of its arguments nothing else is told. */
export interface FormFit {
  /** The fields that it lacks; undefined where its arguments cannot be read. */
  readonly lacks: readonly string[] | undefined;
}

/** A call of a tool that is over. */
export interface Action {
  readonly kind: 'action';
  /** The id of the call, to which evidence refers. */
  readonly id: string;
  /** Epoch milliseconds. */
  readonly atMs: number;
  readonly tool: string;
  /** The file, command, pattern, address or query; undefined where there is none, or none is shown. */
  readonly target: string | undefined;
  /** `refused`: it was not made. Undefined where the client does not tell. */
  readonly status: 'failed' | 'ok' | 'refused' | undefined;
  /** Whether a rule of the policy protects it; undefined where no policy was asked. */
  readonly isProtected: boolean | undefined;
  /** The folder of the repository that the target is in; undefined where it is not known. */
  readonly repository: string | undefined;
  /** Whether it has the form that a checkpoint may have; undefined for any other tool than the form's. */
  readonly form: FormFit | undefined;
}

/** A runtime tells of a session: nothing of it follows the agent's own words. */
export type LifeKind =
  | 'compacted'
  | 'ended'
  | 'prompted'
  | 'resumed'
  | 'started'
  | 'stopped'
  | 'subagent_started'
  | 'subagent_stopped';

/** An event of a client's life. */
export interface Life {
  readonly kind: 'life';
  readonly id: string;
  readonly atMs: number;
  readonly what: LifeKind;
}

/** The boundary exposes these, and nothing else. */
export type PlaneEvent = Action | Life;

/** Whose work it is. Two of these that differ in one part have states that know nothing of each other. */
export interface Identity {
  readonly client: string;
  readonly session: string;
  /** Where the session began. */
  readonly repository: string;
  /** A subagent; empty for the agent of the session itself. */
  readonly agent: string;
  /** The run, if another run that lives has the session under the same names; undefined for the first one. */
  readonly run?: string;
}
