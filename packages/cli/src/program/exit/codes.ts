import type { ErrorCode } from '@subluminal/core-types';

/** The exit codes of a `sub` process. `sub run` passes its child's code through instead. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  /** Refused by the policy, the allowlist, a limit, or because it was asked from inside a run. */
  refused: 3,
  /** The ledger contradicts itself or its outside memory. */
  integrity: 4,
  unreachable: 5,
  /** The ledger is consistent, but nothing outside it proves that it is the newest state. */
  unproven: 6,
} as const;

/** One of the documented exit codes. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

const BY_EXIT: ReadonlyMap<ExitCode, readonly ErrorCode[]> = new Map<ExitCode, readonly ErrorCode[]>([
  [EXIT.usage, ['usage', 'not_available', 'invalid_domain', 'invalid_request']],
  [
    EXIT.refused,
    [
      'address_refused',
      'inside_run',
      'not_allowed',
      'not_permitted',
      'panicked',
      'policy_blocked',
      'policy_hinted',
      'policy_throttled',
      'rate_limited',
      'requires_approval',
      'run_terminated',
      'secret_refused',
      'ticket_required',
      'too_many_enrolments',
    ],
  ],
  [EXIT.integrity, ['ledger_corrupt']],
  [
    EXIT.unreachable,
    [
      'gateway_unreachable',
      'handshake_refused',
      'home_missing',
      'key_missing',
      'shutting_down',
      'version_mismatch',
    ],
  ],
]);

/**
 * The exit code of a command that ended with this error: `failed` for every code that no other group claims.
 */
export function exitCodeOf(code: ErrorCode): ExitCode {
  for (const [exit, codes] of BY_EXIT) {
    if (codes.includes(code)) return exit;
  }
  return EXIT.failed;
}
