import { type ActionResponse, isJsonObject } from '@subluminal/core-types';
import { answerOf } from './answer.js';
import { BodyReader } from './body-reader.js';

/**
 * An answer's head as the gateway writes it; the body, which the signature covers word for word, stands
 * behind it.
 */
const HEAD =
  /^\{"requestId":"([A-Za-z0-9_-]{0,64})","timestamp":"([0-9TZ:.-]{1,32})","status":"([a-z_]{1,32})","auditRef":"([0-9a-f.]{0,128})","signature":"([A-Za-z0-9_-]{43})"/;

/** A frame that begins as an answer, with the text of its body. Nothing in it is verified. */
export interface AnswerText {
  readonly requestId: string;
  readonly timestamp: string;
  readonly status: string;
  readonly auditRef: string;
  readonly signature: string;
  /** `{data, error}` as it stands in the frame. */
  readonly body: string;
}

/**
 * Cuts an answer into its head and its body without parsing either. Undefined for a text that a gateway
 * writes in another way, which is left to the parser.
 */
export function answerTextOf(text: string): AnswerText | undefined {
  const match = HEAD.exec(text);
  if (match === null) return undefined;
  const [head, requestId = '', timestamp = '', status = '', auditRef = '', signature = ''] = match;
  const rest = text.slice(head.length);
  if (rest !== '}' && !rest.startsWith(',')) return undefined;
  const body = rest === '}' ? '{}' : `{${rest.slice(1)}`;
  return { requestId, timestamp, status, auditRef, signature, body };
}

/**
 * The answer of a text whose signature was verified. Undefined where its body is none. Throws what
 * `parseJson` throws.
 */
export function readAnswerText(
  cut: AnswerText,
  bodies: BodyReader = new BodyReader(),
): ActionResponse | undefined {
  const { requestId, timestamp, status, auditRef, signature } = cut;
  const read = bodies.read(cut.body);
  if (!isJsonObject(read)) return undefined;
  const { data, error } = read;
  return answerOf({ requestId, timestamp, status, auditRef, signature, data, error });
}
