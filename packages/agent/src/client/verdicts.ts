import {
  type ActionResponse,
  argsHash,
  type Decision,
  type JsonValue,
  type PolicyRef,
  type SublError,
} from '@subluminal/core-types';
import { type Allowed, type Refused, type ToolCall, UninspectedArgs, type Verdict } from './contract.js';
import type { DecisionData } from './decision-shape.js';
import { EndedRun } from './ended-run.js';

/** After these the run is over, and with it the session. */
const RUN_OVER: ReadonlySet<string> = new Set(['handshake_refused', 'run_ended', 'run_terminated']);

const NO_POLICY = { policy_id: '', policy_version: '', policy_hash: '' };

/** Makes the verdict on a call of the gateway's answer, or of its silence: no answer is no permission. */
export class Verdicts {
  readonly #runId: string;
  readonly #ended = new EndedRun();
  /** By which the gateway decided last. */
  #policy: PolicyRef = NO_POLICY;
  #timeoutMs: number | undefined;

  constructor(runId: string) {
    this.#runId = runId;
  }

  /** The gateway has said by which policy it decides. */
  decidesBy(policy: PolicyRef): void {
    this.#policy = policy;
  }

  /** Takes events that the gateway sends unasked. */
  onPush(event: JsonValue): void {
    this.#ended.onPush(event);
  }

  /** ALLOW needs both: an answer of success, and a decision that says so. */
  answered(callId: string, call: ToolCall, answer: ActionResponse, found: DecisionData | undefined): Verdict {
    const allows = found?.decision.action === 'ALLOW';
    if (found !== undefined) this.#policy = found.policy;
    if (allows && answer.status === 'success') {
      this.#timeoutMs = found.timeoutMs;
      const allowed = this.allowed(callId);
      return call.args instanceof UninspectedArgs ? allowed : { ...allowed, args_hash: found.argsHash };
    }
    const code = answer.error?.code ?? 'failed';
    const over = RUN_OVER.has(code);
    const { auditRef } = answer;
    if (found === undefined || allows) {
      const details =
        over || code === 'panicked'
          ? this.#ended.answer(code)
          : blocked(code.toUpperCase(), summaryOf(answer));
      return this.#refusal(callId, call, details, { over, auditRef });
    }
    const { decision, argsHash: hash } = found;
    this.#ended.decided(decision);
    const ends = over || decision.action === 'TERMINATE_RUN';
    return this.#refusal(callId, call, decision, { over: ends, auditRef, hash });
  }

  /** The gateway's last word on how long calls may take holds while none answers, too. */
  allowed(callId: string): Allowed {
    const timeout = this.#timeoutMs === undefined ? {} : { timeout_ms: this.#timeoutMs };
    return { decision: 'ALLOW', call_id: callId, ...timeout };
  }

  unanswered(callId: string, call: ToolCall, error: SublError): Refused {
    if (RUN_OVER.has(error.code))
      return this.#refusal(callId, call, this.#ended.answer(error.code), { over: true });
    // A gateway that is there and slow is not away: a flood makes nothing pass.
    const decision =
      error.code === 'gateway_unreachable'
        ? blocked('GATEWAY_UNREACHABLE', 'no gateway decided this call, so it was not made')
        : blocked(error.code.toUpperCase(), withAdvice(error));
    return this.#refusal(callId, call, decision, { over: false });
  }

  #refusal(
    callId: string,
    call: ToolCall,
    details: Decision,
    { over, auditRef, hash = hashOf(call) }: { over: boolean; auditRef?: string; hash?: string },
  ): Refused {
    const { action } = details;
    return {
      decision: action === 'ALLOW' ? 'BLOCK' : action,
      call_id: callId,
      run_id: this.#runId,
      details,
      policy: this.#policy,
      args_hash: hash,
      audit_ref: auditRef === '' ? undefined : auditRef,
      ends_session: over,
    };
  }
}

/** The parts of an error, of this process or in an answer, that people are told. */
interface Told {
  readonly code: string;
  readonly message: string;
  readonly help?: string | undefined;
}

function hashOf(call: ToolCall): string {
  return call.args instanceof UninspectedArgs ? call.args.streamHash : argsHash(call.args);
}

function blocked(reasonCode: string, summary: string): Decision {
  return { action: 'BLOCK', rule_id: null, severity: 'critical', reason_code: reasonCode, summary };
}

function summaryOf({ error }: ActionResponse): string {
  return error === undefined ? 'the gateway gave no decision' : withAdvice(error);
}

/** The people in front of the client have to do something about two versions that do not fit. */
function withAdvice({ code, message, help }: Told): string {
  return code === 'version_mismatch' && help !== undefined ? `${message}; ${help}` : message;
}
