import { canonicalize, type JsonValue, startOf } from '@subluminal/core-types';
import type { CallEnd } from '@subluminal/agent';
import type { Ends } from '../dialect/told.js';

/** The longest part of a result that is reported. */
const MAX_PREVIEW = 16_384;
const MAX_ERROR = 4096;

/** How a call ended, as the gateway is told. */
export function endOf({ status, result, error }: Ends, latencyMs: number): CallEnd {
  const text = textOf(result);
  const shown = startOf(text, MAX_PREVIEW);
  return {
    status,
    latency_ms: Math.max(0, Math.round(latencyMs)),
    bytes_out: Buffer.byteLength(text),
    preview: {
      truncated: shown.length < text.length,
      ...(text === '' ? {} : { result_preview: shown }),
    },
    ...(error === undefined ? {} : { error: { class: 'unknown', message: startOf(error, MAX_ERROR) } }),
  };
}

/** The end of a call of which the client has told none. */
export function givenUp(latencyMs: number, why: string): CallEnd {
  return {
    status: 'CANCELLED',
    latency_ms: Math.max(0, Math.round(latencyMs)),
    bytes_out: 0,
    preview: { truncated: false },
    error: { class: 'unknown', message: why },
  };
}

function textOf(result: JsonValue | undefined): string {
  if (result === undefined || result === null) return '';
  return typeof result === 'string' ? result : canonicalize(result);
}
