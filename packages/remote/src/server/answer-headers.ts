import type { StreamAnswer } from '@subluminal/egress';
import type { AnswerHeaders } from '../client/client-answer.js';

/** What of a server's header a client is told. Everything else is between the gateway and the server. */
const PASSED = ['cache-control', 'mcp-protocol-version', 'retry-after', 'www-authenticate'] as const;

/** What a header of ours can hold; a value with anything else is not told. */
const WRITABLE = /^[\t\x20-\x7e]*$/;

/** The header of an answer. The id of a session is told as the server gave it, and no other. */
export function answerHeaders(
  { headers }: Pick<StreamAnswer, 'headers'>,
  sessionId: string | undefined,
): AnswerHeaders {
  const shown: Record<string, readonly string[]> = {};
  for (const name of PASSED) {
    const values = headers.get(name);
    if (values?.every((value) => WRITABLE.test(value)) === true) shown[name] = values;
  }
  const [given] = headers.get('mcp-session-id') ?? [];
  return given !== undefined && given === sessionId && WRITABLE.test(given)
    ? { ...shown, 'mcp-session-id': given }
    : shown;
}

/** Tells whether the body is a stream of events that can be read. */
export function isEventStream(answer: StreamAnswer): boolean {
  return typeOf(answer) === 'text/event-stream';
}

/** Tells whether the body is one message. */
export function isJson(answer: StreamAnswer): boolean {
  return typeOf(answer) === 'application/json' && answer.status !== 202 && answer.status !== 204;
}

/** The type of what can be read; undefined for a body that is coded. */
function typeOf({ headers }: StreamAnswer): string | undefined {
  const [coding = 'identity'] = headers.get('content-encoding') ?? [];
  if (coding.toLowerCase() !== 'identity') return undefined;
  const types = headers.get('content-type') ?? [];
  return types.length === 1 ? types[0]?.split(';', 1)[0]?.trim().toLowerCase() : undefined;
}
