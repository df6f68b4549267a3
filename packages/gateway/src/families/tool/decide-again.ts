import { canonicalize, isSublError, type Decision, type ToolCallBeginPayload } from '@subluminal/core-types';
import { chargeData, type Charge, type PolicySnapshot } from '@subluminal/policy';
import type { Call } from '../../pipeline/call.js';
import { refuse, refuseFor, success, type Outcome } from '../../pipeline/reply.js';
import { isInForce, judgeCall, type JudgeParts, type Verdict } from '../../runs/judge.js';
import { auditRef, type Recorder } from '../../recording/recorder.js';
import type { OpenCall, Run } from '../../runs/run.js';
import { allowanceOf, refusalOf } from './answers.js';
import { type CallObjects, readObjects } from '../../objects/call-objects.js';
import type { Question } from '../../approvals/question.js';
import { askHash } from '../../approvals/asked-rule.js';
import { refusedEndEntry } from './end-entries.js';
import { askedAgainEntry, hintEntries, tripEntries } from './entries.js';

/** A call whose ALLOW is durable. */
export interface AllowedCall {
  readonly call: Call;
  readonly payload: ToolCallBeginPayload;
  readonly run: Run;
  readonly open: OpenCall;
  /** Its number in the run. */
  readonly seq: number;
  readonly verdict: Verdict;
  /** The questions whose yes let it pass. */
  readonly agreed: readonly Question[];
  /** Ends the run. */
  readonly terminate: (decision: Decision) => void;
}

export interface DecideAgainParts extends JudgeParts {
  readonly objects: CallObjects;
  readonly recorder: Recorder;
  readonly timeoutOf: (server: string) => number | undefined;
}

/** Policies that are loaded one behind the other while one call is written. */
const MAX_POLICIES = 8;

/**
 * Another policy was loaded while the decision was written: what it says now counts, and what it charges
 * instead of what the first has charged. A call that it refuses has an ALLOW in the ledger and gets its end;
 * one whose end cannot be written stays open and is closed with its run. One that it allows too, and charges
 * in another way, gets an entry that says so before its shim hears of it.
 */
export async function decideAgain(parts: DecideAgainParts, allowed: AllowedCall): Promise<Outcome> {
  const { call, payload, run, open, seq } = allowed;
  const release = run.limits.hold();
  call.atEnd(release);
  let last = allowed.verdict;
  for (let asked = 0; !isInForce(parts, run, last); asked += 1) {
    if (asked === MAX_POLICIES) return refuse('overloaded', 'the policy keeps changing');
    const before = open.charge;
    run.limits.revert(before);
    const { argsHash, continues } = open;
    const readings = await readObjects(parts, run, payload);
    const verdict = judgeCall(parts, run, payload, {
      now: call.now,
      argsHash,
      continues,
      readings,
      // Nobody is asked about a call that was allowed: another rule that asks now refuses it.
      canAsk: false,
      agreed: stillAgreed(parts.policy.current.snapshot, allowed.agreed),
    });
    open.charge = verdict.charge;
    if (verdict.effective.action !== 'ALLOW') return await refuseAgain(parts, allowed, verdict);
    if (!isSame(before, verdict.charge)) {
      const entries = [
        ...tripEntries(call, payload, verdict.trips),
        askedAgainEntry(call, payload, { argsHash: open.argsHash, seq: open.decisionSeq, verdict }),
      ];
      try {
        await parts.recorder.append({ entries });
      } catch (error) {
        if (!isSublError(error)) throw error;
        return refuseFor(error);
      }
    }
    last = verdict;
  }
  return success(allowanceOf(open.argsHash, seq, allowed.verdict, parts.timeoutOf(payload.server_name)));
}

/** A yes holds for the rule as it was when it asked. */
function stillAgreed(snapshot: PolicySnapshot, agreed: readonly Question[]): readonly string[] {
  return agreed
    .filter(({ ruleId, ruleHash }) => askHash(snapshot, ruleId) === ruleHash)
    .map(({ ruleId }) => ruleId);
}

async function refuseAgain(
  { recorder }: DecideAgainParts,
  { call, payload, run, open, seq, terminate }: AllowedCall,
  verdict: Verdict,
): Promise<Outcome> {
  const { effective: decision } = verdict;
  if (decision.action === 'TERMINATE_RUN') terminate(decision);
  const after = { seq: open.decisionSeq, verdict };
  try {
    const entries = [
      ...tripEntries(call, payload, verdict.trips),
      ...hintEntries(call, payload, open.argsHash, verdict),
      refusedEndEntry(call, payload, open.argsHash, { decision, after }),
    ];
    const result = await recorder.append({ entries });
    if (run.openCalls.delete(open.callId)) run.counters.errors_total += 1;
    if (result.ok) call.auditRef = auditRef(result.entries.at(-1));
  } catch (error) {
    // The recorder has told the log; the refusal does not depend on the entry.
    if (!isSublError(error)) throw error;
  }
  return refusalOf(open.argsHash, seq, verdict);
}

function isSame(one: Charge, other: Charge): boolean {
  if (one === other) return true;
  return one.length === other.length && canonicalize(chargeData(one)) === canonicalize(chargeData(other));
}
