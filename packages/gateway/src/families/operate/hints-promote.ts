import { isSublError, SublError, textAt } from '@subluminal/core-types';
import type { EntryInput, LedgerReader, LedgerRow } from '@subluminal/ledger';
import type { PolicySnapshot, Waiver } from '@subluminal/policy';
import type { Clock } from '../../base/clock.js';
import type { ActionOf } from '../../pipeline/steps.js';
import type { PolicyHolder } from '../../policy/holder.js';
import { MAX_WAIVERS } from '../../limits/run-limits.js';
import { auditRef, type Recorder } from '../../recording/recorder.js';
import type { RunRegistry } from '../../runs/registry.js';

import type { Run } from '../../runs/run.js';
import { operate } from './operate.js';

export interface HintsPromoteParts {
  readonly registry: RunRegistry;
  readonly policy: { readonly current: Pick<PolicyHolder['current'], 'snapshot'> };
  readonly recorder: Recorder;
  readonly openReader: () => LedgerReader;
  readonly clock: Clock;
}

/**
 * `hints.promote`: the operator lets a call pass that a hint has turned away: its rule is waived for the tool
 * and its arguments, or any, as long as the run lives. The entry is durable first, and a restart reads it.
 */
export function hintsPromote(parts: HintsPromoteParts): ActionOf<'hints.promote'> {
  return operate(async ({ run_id: runId, call_id: callId, any_args: anyArgs }) => {
    const { hint, run } = find(parts, runId, callId);
    const waiver = waiverOf(hint, anyArgs);
    if (run.limits.waivers.length >= MAX_WAIVERS) {
      throw new SublError('overloaded', `${MAX_WAIVERS} hints of the run \`${runId}\` are promoted`, {
        help: 'put what it may do into the policy',
      });
    }
    const release = run.limits.hold();
    try {
      const audit_ref = await record(parts, promotedEntry(run, callId, { hint, waiver, ts: parts.clock() }));
      run.limits.waive(waiver);
      return {
        run_id: runId,
        call_id: callId,
        ...waiver,
        lifts: liftedBy(waiver, parts.policy.current.snapshot),
        audit_ref,
      };
    } finally {
      release();
    }
  });
}

/** A deny that is lifted lets the call through. Of a limit nothing follows but that it refuses no more. */
function liftedBy({ rule_id }: Waiver, { rules, places }: PolicySnapshot): 'deny' | 'limit' | 'nothing' {
  const rule = rules[places.get(rule_id) ?? -1];
  if (rule?.enabled !== true || rule.kind === 'allow' || rule.kind === 'tag') return 'nothing';
  return rule.kind === 'deny' || rule.kind === 'ask' ? 'deny' : 'limit';
}

function find(
  { registry, openReader }: HintsPromoteParts,
  runId: string,
  callId: string,
): { readonly hint: LedgerRow; readonly run: Run } {
  const reader = openReader();
  try {
    const hint = reader.issuedHint(runId, callId);
    if (hint === undefined) {
      throw new SublError(
        'not_found',
        `no hint was given for the call \`${callId}\` of the run \`${runId}\``,
        {
          help: 'name a call that was rejected with a hint, and its run',
        },
      );
    }
    const run = registry.live(runId);
    if (run === undefined || run.limits.isTerminated)
      throw new SublError('run_ended', `the run \`${runId}\` has ended, and its hints with it`);
    return { hint, run };
  } finally {
    reader.close();
  }
}

function waiverOf({ data, tool }: LedgerRow, anyArgs: boolean): Waiver {
  const whose = textAt(data, 'policy');
  if (whose !== '') {
    const isOfProject = whose === 'project';
    const where = isOfProject ? 'the policy of the project' : 'the policy that the run was given';
    throw new SublError('invalid_request', `the hint comes from ${where}, which nothing lifts`, {
      help: isOfProject
        ? 'change its `.subluminal.yaml`, and trust it again'
        : 'change the file that was given with `--policy`, and run it again',
    });
  }
  const rule = textAt(data, 'rule_id');
  const hash = textAt(data, 'call', 'args_hash');
  const [server_name, tool_name] = Array.isArray(tool) ? tool : [];
  if (rule === '' || hash === '' || server_name === undefined || tool_name === undefined) {
    throw new SublError('invalid_request', 'the entry of the hint does not say which rule gave it', {
      help: 'it was written by an earlier version: put what the call may do into the policy',
    });
  }
  return { rule_id: rule, server_name, tool_name, args_hash: anyArgs ? null : hash };
}

function promotedEntry(
  run: Run,
  callId: string,
  { hint, waiver, ts }: { readonly hint: LedgerRow; readonly waiver: Waiver; readonly ts: number },
): EntryInput {
  return {
    type: 'hint_promoted',
    ts,
    runId: run.id,
    tool: [waiver.server_name, waiver.tool_name],
    data: {
      args_hash: waiver.args_hash,
      call: { call_id: callId },
      hint_seq: hint.seq,
      rule_id: waiver.rule_id,
      shim: textAt(hint.data, 'shim'),
    },
  };
}

async function record({ recorder }: HintsPromoteParts, entry: EntryInput): Promise<string> {
  try {
    const result = await recorder.append({ entries: [entry] });
    if (result.ok) return auditRef(result.entries[0]);
  } catch (error) {
    if (!isSublError(error, 'audit_unavailable')) throw error;
  }
  throw new SublError('audit_unavailable', 'the promotion could not be recorded, so it has no effect');
}
