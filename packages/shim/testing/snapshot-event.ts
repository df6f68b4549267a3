import { randomBytes } from 'node:crypto';
import {
  canonicalize,
  encodeKey,
  type JsonObject,
  sha256Hex,
  signHead,
  type SnapshotHead,
  snapshotPublicText,
  snapshotSigningKey,
} from '@subluminal/core-types';
import { compilePolicy, type PolicySnapshot, PolicyState } from '@subluminal/policy';

const POLICY = `
policy_id: team
version: 1.0.0
mode: MODE
defaults: { decision_on_error: BLOCK, fail_open_read_tools: true }
selectors: {}
rules:
  - { rule_id: reads, kind: tag, enabled: true, severity: info, match: { tool_name: { glob: ['read_*'] } }, effect: { tag: { add_risk_class: [read_like] } } }
  - { rule_id: writes, kind: tag, enabled: true, severity: info, match: { tool_name: { glob: ['*_and_write', 'write_*'] } }, effect: { tag: { add_risk_class: [write_like] } } }
  - rule_id: few
    kind: budget
    enabled: true
    severity: warn
    match: { tool_name: { glob: ['read_*'] } }
    effect: { budget: { scope: run, limit_calls: 4, on_exceed: BLOCK } }
  - rule_id: nor-with
    kind: deny
    enabled: true
    severity: warn
    match: { args: { key_equals: { password: none } } }
    effect: { action: BLOCK, reason_code: DENYLIST_MATCH, message: no }
  - rule_id: not-that
    kind: deny
    enabled: true
    severity: warn
    match: { args: { key_equals: { path: /etc/shadow } } }
    effect: { action: BLOCK, reason_code: DENYLIST_MATCH, message: no }
`;

const signing = snapshotSigningKey(randomBytes(32));
export const IDENTITY = { agent_id: 'agent', client: 'custom', env: 'dev' } as const;

/** For whom the snapshots are that `snapshotEvent` makes. */
export const HOLDER = {
  runId: 'run-1',
  shimId: 'shim-1',
  serverName: 'files',
  owner: { pid: 1, start: '1' },
  credential: {
    v: 1,
    kind: 'run',
    id: 'run-1',
    epoch: 1,
    ledger_id: 'ledger',
    key: encodeKey(randomBytes(32)),
  },
} as const;

/** The parts of a snapshot that may be different. */
export interface SnapshotParts {
  readonly head?: Partial<SnapshotHead>;
  readonly body?: JsonObject;
  readonly mode?: string;
  readonly key?: typeof signing;
  /** Reads that are left. */
  readonly limit?: number;
}

/** A snapshot as a gateway pushes it: issued at 1,000,000 for five minutes. */
export function snapshotEvent({
  head = {},
  body = {},
  mode = 'guardrails',
  key = signing,
  limit = 4,
}: SnapshotParts = {}): JsonObject {
  const policy = compiled(mode, limit);
  const text = canonicalize({
    identity: IDENTITY,
    only: null,
    policy: policy.plain,
    previews: 16_384,
    raised: {},
    shares: 1,
    state: PolicyState.empty().toJSON(),
    waivers: [],
    ...body,
  });
  const made: SnapshotHead = {
    v: 1,
    id: randomBytes(16).toString('base64url'),
    run_id: 'run-1',
    shim_id: 'shim-1',
    server_name: 'files',
    issued_ms: 1_000_000,
    expires_ms: 1_300_000,
    policy: { policy_id: 'team', policy_version: '1.0.0', policy_hash: policy.policy_hash },
    body_hash: sha256Hex(text),
    ...head,
  };
  return {
    type: 'snapshot',
    head: { ...made, policy: { ...made.policy } },
    signature: signHead(key, made),
    body: text,
    key: snapshotPublicText(key),
    secret: encodeKey(randomBytes(32)),
  };
}

/** The policy of the snapshots. */
export function compiled(mode: string, limit = 4): PolicySnapshot {
  const result = compilePolicy(
    POLICY.replace('MODE', mode).replace('limit_calls: 4', `limit_calls: ${limit}`),
  );
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.snapshot;
}
