import {
  ExactNumber,
  type FindValues,
  isJsonObject,
  isSublError,
  type JsonValue,
  MAX_PREVIEW_BYTES,
  previewOf,
} from '@subluminal/core-types';
import type { CallEnd } from '@subluminal/agent';
import type { Outcome } from '../message/message.js';

/** Enough text for a preview and what redaction looks at behind it. */
const MAX_TEXT = 20_000;
const MAX_ERROR_TEXT = 512;

/** The observed properties of an answer. */
export interface ObservedAnswer {
  readonly outcome: Outcome;
  readonly bytes: number;
  readonly latencyMs: number;
  /** The hash of an answer that was not inspected. */
  readonly streamHash: string | undefined;
}

/** The end of a call that was answered: previews are redacted and cut before they leave the shim. */
export function endOfAnswer(answer: ObservedAnswer, values: FindValues): CallEnd {
  const { outcome, latencyMs, bytes, streamHash } = answer;
  const error = errorIn(outcome, values);
  return {
    status: error === undefined ? 'OK' : 'ERROR',
    latency_ms: latencyMs,
    bytes_out: bytes,
    preview: previewOfValue(outcome.value, bytes, values),
    ...(streamHash === undefined ? undefined : { result_stream_hash: streamHash }),
    ...(error === undefined ? undefined : { error }),
  };
}

function errorIn({ kind, value }: Outcome, values: FindValues): CallEnd['error'] {
  if (kind === 'error') return errorOf(value, values);
  return isToolError(value) ? { class: 'upstream_error', message: 'the tool reported an error' } : undefined;
}

/** The end of a call that nothing came back for. */
export function endWithout(
  status: 'ERROR' | 'CANCELLED' | 'TIMEOUT',
  latencyMs: number,
  errorClass: 'transport' | 'policy_block' | 'timeout' | 'unknown',
  message: string,
): CallEnd {
  return {
    status,
    latency_ms: latencyMs,
    bytes_out: 0,
    preview: { truncated: false },
    error: { class: errorClass, message },
  };
}

/** The end of a call that its sender took back, whatever came of it. */
export function asCancelled(end: CallEnd): CallEnd {
  return { ...end, status: 'CANCELLED', error: { class: 'unknown', message: 'cancelled by its sender' } };
}

function previewOfValue(value: JsonValue | undefined, bytes: number, values: FindValues): CallEnd['preview'] {
  if (value === undefined) return { truncated: true };
  const { text, truncated } = previewOf(
    bytes > MAX_TEXT ? startOfJson(value, MAX_TEXT) : textOf(value),
    MAX_PREVIEW_BYTES,
    values,
  );
  return { truncated, result_preview: text };
}

/** The JSON text of a value from a small message. */
function textOf(value: JsonValue): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // It holds a number that JSON.stringify would round.
    if (isSublError(error, 'not_canonical')) return startOfJson(value, MAX_TEXT);
    throw error;
  }
}

function errorOf(value: JsonValue | undefined, values: FindValues): NonNullable<CallEnd['error']> {
  if (!isJsonObject(value)) return { class: 'upstream_error', message: 'an error' };
  const { code, message } = value;
  const text =
    typeof message === 'string'
      ? previewOf(message, MAX_ERROR_TEXT, values).text
      : 'an error without a message';
  return {
    class: 'upstream_error',
    message: text,
    ...(typeof code === 'number' && Number.isFinite(code) ? { code } : {}),
  };
}

function isToolError(value: JsonValue | undefined): boolean {
  return isJsonObject(value) && Object.hasOwn(value, 'isError') && value['isError'] === true;
}

/**
 * The start of a value's JSON text, at least `max` characters of it where it has as many, in time that `max`
 * bounds.
 */
function startOfJson(value: JsonValue, max: number): string {
  let text = '';
  const write = (part: JsonValue): void => {
    if (text.length > max) return;
    if (Array.isArray(part)) writeAll('[', part, ']', write);
    else if (isJsonObject(part)) {
      writeAll('{', Object.keys(part), '}', (key) => {
        text += `${JSON.stringify(key)}:`;
        write(part[key] ?? null);
      });
    } else if (part instanceof ExactNumber) text += part.text;
    else text += JSON.stringify(typeof part === 'string' ? part.slice(0, max + 1) : part);
  };
  const writeAll = <T>(open: string, parts: readonly T[], close: string, each: (part: T) => void): void => {
    text += open;
    for (const [index, part] of parts.entries()) {
      if (text.length > max) return;
      if (index > 0) text += ',';
      each(part);
    }
    text += close;
  };
  write(value);
  return text;
}
