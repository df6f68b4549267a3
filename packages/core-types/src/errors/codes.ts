/**
 * Every error code that Subluminal shows to a program: in `ActionResponse.error.code`, in `--json` output and
 * in thrown `SublError`s. A code is never reused for another meaning. Each is documented in docs/errors.md,
 * and a test holds the two together in both directions.
 */
export const ERROR_CODES = {
  // input that cannot be read
  invalid_json: 'text is not strict JSON (syntax, duplicate key, lone surrogate, trailing text)',
  too_deep: 'JSON is nested deeper than the limit',
  not_canonical: 'a value has no canonical JSON form (non-finite number, lone surrogate, undefined)',
  frame_bad_utf8: 'a frame is not valid UTF-8',
  frame_empty: 'a frame has length zero',
  frame_too_large: 'a frame is larger than the limit',
  invalid_request: 'a request does not fit its schema',

  // who asks
  bad_signature: 'the signature of a request or an answer does not verify',
  handshake_refused: 'the gateway refused the handshake (unknown id, wrong key, ended run or wrong version)',
  not_permitted: 'the caller may not ask for this action',
  replayed: 'the request id was used before in this run',
  stale_timestamp: 'the request is older or newer than the freshness window',
  run_ended: 'the run has ended',
  run_terminated: 'a rule ended the run',
  panicked: 'the operator has stopped everything',
  too_many_enrolments: 'too many unattested runs were opened in the last minute',
  ticket_required: 'this gateway only serves runs that were opened by `sub run`',
  version_mismatch: 'client and gateway are of versions that do not work together',

  // what is asked
  not_allowed: 'the destination is not on the allowlist, or is that of another server',
  world_refused: 'the settings of the world do not have the destination',
  address_refused: 'the destination resolves to an address that is not allowed',
  resolve_failed: 'the destination cannot be resolved',
  rate_limited: 'a rate limit is reached',
  requires_approval: 'the action waits for an approval',
  approval_not_found: 'there is no such approval request',
  approval_used: 'the approval was used before or has expired',
  policy_blocked: 'a rule of the policy blocked the call',
  policy_hinted: 'a rule of the policy rejected the call with a hint',
  policy_throttled: 'a rule of the policy throttled the call',
  invalid_domain:
    'a domain cannot be an allowlist entry (wildcard, oddly spelled address, or not a host name)',
  not_found: 'there is no such entry',
  layer_changed: 'the layer is not as it was shown',
  name_mismatch: 'the name inside a connection is not the one that was decided on',
  protocol_refused: 'what came first on a connection is not a protocol that this destination may carry',
  budget_spent: 'the run or the world has used up what it may have of the network',

  account_unknown: 'there is no such account, or there are several and none was named',
  credential_refused: 'the service refused the credentials of the account',

  secret_missing: 'a secret that a server is bound to is not there, or cannot be read',
  secret_refused: 'a secret is not for this server, command line, environment or place',

  // the ledger
  audit_unavailable: 'the ledger cannot record the action, so it is not executed',
  in_doubt: 'the request was accepted before, and its outcome is not known',
  interrupted: 'the action was pending when the gateway stopped',
  ledger_corrupt: 'the ledger contradicts itself',
  ledger_incomplete: 'something that belongs to the ledger is gone: a file before it, or `gateway.db`',
  ledger_missing: 'there is no ledger at that path, or it is not one',
  ledger_unsafe: 'the ledger cannot be opened with the guarantees it needs',
  overloaded: 'too much is waiting; the request was not accepted',

  // what happened outside
  adapter_unavailable: 'no adapter executes this action yet',
  adapter_failed: 'the adapter failed while executing the action',
  response_too_large: 'the answer of the service is larger than the limit',
  timed_out: 'the action took longer than its limit',
  too_many_redirects: 'the service redirected too often',
  upstream_failed: 'the MCP server could not be started or ended early',

  // the gateway and its home
  already_running: 'another gateway serves this home',
  gateway_unreachable: 'no gateway answers on the socket',
  home_missing: 'the home folder does not exist',
  home_too_old: 'the home was written before version 1 of its schema, and no version reads it any more',
  home_unsafe: 'the home folder, or a file in it, has the wrong owner or permissions',
  key_missing: 'a key file is missing or cannot be read',
  node_too_old: 'this Node is too old for it',
  user_unknown: 'the system has no entry for the user that this is started by',
  path_too_long: 'the socket path is longer than the system allows',
  shutting_down: 'the gateway is stopping',

  // configuration and policy
  config_invalid: 'config.toml cannot be read or has a mistake',
  policy_changed: 'the policy file is not as it was shown',
  policy_invalid: 'the policy has a mistake',
  policy_missing: 'there is no policy file',
  policy_outdated: 'the signed policy is older than one that was loaded before',
  policy_pending: 'the policy file changed and waits for the operator',
  policy_unsigned: 'no listed signer has signed the policy file',
  not_available: 'this version does not have that feature',

  // the command line
  usage: 'the command line is wrong',
  failed: 'the command failed',
  inside_run: 'this command is refused inside a run',
} as const;

/** One of the documented codes. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** Tells whether a text (for example from an answer) is one of our codes. */
export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(ERROR_CODES, text);
}
