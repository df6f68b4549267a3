import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { canonicalize, sha256Hex, type JsonObject } from '@subluminal/core-types';
import { homePaths } from '@subluminal/ipc';
import { openLedger, type CodeName, type EntryInput, type Ledger } from '@subluminal/ledger';
import type { TestHome } from './home.js';

/** One call as a gateway would have recorded it. */
export interface RecordedCall {
  readonly runId: string;
  readonly callId: string;
  readonly ts: number;
  readonly tool: readonly [string, string];
  readonly args: JsonObject;
  /** What is kept of the arguments: the whole text unless given; null keeps nothing. */
  readonly preview?: string | null;
  readonly truncated?: boolean;
  readonly redactions?: number;
  readonly action?: CodeName;
  readonly ruleId?: string | null;
  readonly reasonCode?: string;
  readonly summary?: string;
  /** Further members of the decision, such as `hint`. */
  readonly decision?: JsonObject;
  readonly facts?: JsonObject;
  readonly policyHash?: string;
  readonly status?: CodeName;
  readonly latencyMs?: number;
}

/** Writes into the ledger of a home whose gateway is not running, with the home's own keys. */
export async function writeRecord(at: TestHome, work: (ledger: Ledger) => Promise<unknown>): Promise<void> {
  const paths = homePaths(at.home);
  const ledger = await openLedger({
    path: paths.ledgerDb,
    signingKey: { privateKey: createPrivateKey(readFileSync(paths.logKey)) },
    sealKeyPath: paths.sealKey,
    headsLog: at.headsLog,
    durability: 'process',
    clock: Date.now,
  });
  try {
    await work(ledger);
  } finally {
    await ledger.close();
  }
}

/** A run's start, as a gateway records it. */
export function recordedRun(runId: string, ts: number): EntryInput {
  return {
    type: 'run_start',
    ts,
    runId,
    data: { agent_id: 'agent', client: 'claude', env: 'dev', host_id: 'host', attested: true },
  };
}

/**
 * All entries of a call in one commit, or in two where it was allowed and ended. Gives the entry of its
 * decision.
 */
export async function recordCall(ledger: Ledger, call: RecordedCall): Promise<number> {
  const { runId, callId, ts, tool, args, action = 'ALLOW', facts, status, latencyMs = 3 } = call;
  const text = canonicalize(args);
  const hash = sha256Hex(text);
  const preview = call.preview === undefined ? text : call.preview;
  const common = { ts, runId, tool };
  const own = { call: { args_hash: hash, call_id: callId }, shim: 'shim-1' };
  const ended = (code: CodeName, more: JsonObject, ref?: number): EntryInput => ({
    ...common,
    ts: ts + latencyMs,
    type: 'tool_call_end',
    code,
    ...(ref === undefined ? {} : { ref }),
    data: {
      ...own,
      bytes_out: 2,
      latency_ms: latencyMs,
      preview: { truncated: false },
      status: code,
      ...more,
    },
  });
  const refused: readonly EntryInput[] =
    action === 'ALLOW'
      ? []
      : [
          ...(call.decision?.['hint'] === undefined
            ? []
            : [{ ...common, type: 'hint_issued' as const, data: { ...own, hint: call.decision['hint'] } }]),
          ended('ERROR', { error: { class: 'policy_block', code: 'X', message: 'refused' }, latency_ms: 0 }),
        ];
  const result = await ledger.append({
    entries: [
      {
        ...common,
        type: 'tool_call_start',
        data: {
          call: {
            ...own.call,
            bytes_in: text.length,
            preview: { redactions: call.redactions ?? 0, truncated: call.truncated ?? preview === null },
            seq: 1,
            transport: 'mcp_stdio',
          },
          req: { id: callId, sig: 'mac' },
          shim: 'shim-1',
        },
        ...(preview === null ? {} : { blobs: { 'call.preview.args_preview': preview } }),
      },
      {
        ...common,
        type: 'tool_call_decision',
        code: action,
        data: {
          ...own,
          decision: {
            action,
            explain: { reason_code: call.reasonCode ?? 'NO_MATCH_ALLOWED', summary: call.summary ?? 'words' },
            rule_id: call.ruleId ?? null,
            severity: 'warn',
            ...call.decision,
          },
          ...(facts === undefined ? {} : { facts }),
          policy: { policy_hash: call.policyHash ?? 'a'.repeat(64), policy_id: 'p', policy_version: '1' },
        },
      },
      ...refused,
    ],
    seen: { runId, id: callId },
  });
  if (!result.ok) throw new Error(`call ${callId} was refused by the ledger`);
  const seq = result.entries[1]?.seq ?? 0;
  if (action === 'ALLOW' && status !== undefined) await ledger.append({ entries: [ended(status, {}, seq)] });
  return seq;
}
