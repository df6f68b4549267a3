import {
  canonicalize,
  INTERFACE_VERSION,
  type JsonObject,
  redact,
  RESERVED_ERROR_CODES,
} from '@subluminal/core-types';
import { type Refused, refusalText, retryAdvice, type ToolCall } from '@subluminal/agent';
import type { MessageId } from '../message/message.js';
import { INTERNAL_ERROR } from './forgery.js';

/** JSON-RPC's "invalid request". */
const INVALID_REQUEST = -32600;

/** The answer to a refused call, with its line feed. Clients log errors: names are redacted. */
export function refusalAnswer(id: MessageId, call: ToolCall, refused: Refused): Buffer {
  const { details } = refused;
  const subluminal = {
    v: INTERFACE_VERSION,
    action: refused.decision,
    rule_id: details.rule_id,
    reason_code: details.reason_code,
    summary: details.summary,
    run_id: refused.run_id,
    call_id: refused.call_id,
    server_name: redact(call.server_name).text,
    tool_name: redact(call.tool_name).text,
    args_hash: refused.args_hash,
    policy: refused.policy,
    ...(details.backoff_ms === undefined
      ? {}
      : { backoff_ms: details.backoff_ms, retry_advice: retryAdvice(details) }),
    ...(details.hint === undefined ? {} : { hint: details.hint }),
    ...(details.terminate === undefined ? {} : { terminate: details.terminate }),
    ...(refused.audit_ref === undefined ? {} : { audit_ref: refused.audit_ref }),
  };
  const code = RESERVED_ERROR_CODES[refused.decision];
  return answerLine(id, {
    code,
    message: refusalText(refused),
    data: { subluminal },
  });
}

/** The answer to a request that could not be judged. */
export function invalidAnswer(id: MessageId, why: string): Buffer {
  return answerLine(id, { code: INVALID_REQUEST, message: `not forwarded: ${redact(why).text}` });
}

/**
 * The code of the reference implementations of MCP for a request that took too long; it is not one of our
 * reserved codes.
 */
const REQUEST_TIMEOUT = -32001;

/** The answer to a call that was given up. It may still have had its effect: nobody knows. */
export function timeoutAnswer(id: MessageId, timeoutMs: number): Buffer {
  const message =
    `the server did not answer within ${timeoutMs} ms, and the call was given up; ` +
    'whether it had an effect is not known: look before you try again';
  return answerLine(id, { code: REQUEST_TIMEOUT, message, data: { timeout_ms: timeoutMs } });
}

/** The answer in place of one from the upstream that could not be passed on. */
export function brokenAnswer(id: MessageId, why: string): Buffer {
  return answerLine(id, { code: INTERNAL_ERROR, message: `the server's answer was not forwarded: ${why}` });
}

/** The answer that passes on an upstream's error in other words. */
export function errorAnswer(id: MessageId, error: JsonObject): Buffer {
  return answerLine(id, error);
}

/** Canonical text, because a hint's arguments may hold numbers that a double would round. */
function answerLine(id: MessageId, error: unknown): Buffer {
  return Buffer.from(`{"jsonrpc":"2.0","id":${id.text},"error":${canonicalize(error)}}\n`);
}
