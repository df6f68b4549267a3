/** The strip on top of every view. Times are epoch ms. */
export interface State {
  readonly ledger: string;
  /** The newest entry. */
  readonly head: number;
  readonly version: string;
  readonly home: string;
  /** A command of `sub` finds it without being told. */
  readonly is_default_home: boolean;
  readonly panicked: { readonly since: number; readonly reason: string } | null;
  readonly policy: {
    readonly id: string;
    readonly hash: string;
    readonly mode: string;
    /** Why the file that is there now is not in force; null where it is. */
    readonly problem: string | null;
  };
  readonly runs_live: number;
  /** Cards of the inbox that can be answered: questions, actions, held tools. */
  readonly waiting: number;
  readonly egress: string;
  readonly session: string;
  readonly unlocked_until: number | null;
  /** `read`: it cannot be told which process asks, so nothing is changed. */
  readonly access: 'full' | 'read';
}
