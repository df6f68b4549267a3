/**
 * Why a request was refused. `inside_run`, `other_user`, `unknown_process`: by who asks. `no_session`: the
 * token is dead, run `sub ui`. `locked`: `sub ui unlock` first. `read_only`: it cannot be told who asks, so
 * nothing is changed. `changed`: what was shown is not what there is now, so reload. The rest are codes of
 * the gateway.
 */
export type RefusalCode =
  | 'bad_host'
  | 'bad_origin'
  | 'bad_request'
  | 'changed'
  | 'code_used'
  | 'code_wrong'
  | 'inside_run'
  | 'locked'
  | 'no_route'
  | 'no_session'
  | 'other_user'
  | 'read_only'
  | 'too_large'
  | 'too_many'
  | 'unknown_process';

/** The body of every answer that is not 200. */
export interface ApiError {
  readonly error: {
    /** A `RefusalCode`, or a code of the gateway (docs/errors.md). */
    readonly code: string;
    readonly message: string;
    /** The next step. */
    readonly help?: string;
  };
}
