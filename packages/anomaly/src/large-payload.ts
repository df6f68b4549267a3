import type { Finding } from '@subluminal/gateway';

/** A payload of more bytes than this (1 MiB) is large. */
const LARGE_PAYLOAD_BYTES = 1_048_576;

export function largePayload(bytes: number): Finding | undefined {
  if (bytes <= LARGE_PAYLOAD_BYTES) return undefined;
  return {
    kind: 'large_payload',
    summary: `a payload of ${bytes} bytes`,
    facts: { bytes, limit: LARGE_PAYLOAD_BYTES },
  };
}
