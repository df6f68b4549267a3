import { isSublError } from '../errors/subl-error.js';
import { canonicalize } from '../json/canonicalize.js';
import { assertTextDepth, MAX_DEPTH } from '../json/depth.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/value.js';

/** The canonical text of a payload, and of a tool call's arguments in it. */
export interface PayloadText {
  readonly text: string;
  readonly args: string | undefined;
}

/** A frame that was read without the strict parser. */
export interface QuickFrame {
  readonly value: JsonObject;
  readonly payload: PayloadText;
}

/** In so short a frame it costs less to write the arguments twice than to take the payload apart. */
const SHORT = 8192;

/** Nothing in such a text needs an escape, so it stands between quotes as it is. */
const PLAIN = /^[A-Za-z0-9_.:|=+/-]{1,128}$/;

/**
 * Reads a frame whose text is, to the last character, what a client writes for the value that JSON.parse
 * finds in it: the six members in their order, the payload in canonical form. Such a text has no second
 * meaning, no duplicate key and no number that a double cannot hold, and its payload need not be written
 * again to be verified. Undefined for any other text, which is left to the strict parser.
 * @throws SublError `too_deep`.
 */
export function quickFrame(text: string): QuickFrame | undefined {
  assertTextDepth(text, MAX_DEPTH);
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  if (!isJsonObject(value)) return undefined;
  const { id, timestamp, action, payload, source, signature } = value;
  if (!isPlain(id) || !isPlain(timestamp) || !isPlain(action) || !isPlain(source) || !isPlain(signature))
    return undefined;
  if (!isJsonObject(payload)) return undefined;
  const head = `{"id":"${id}","timestamp":"${timestamp}","action":"${action}","payload":`;
  const tail = `,"source":"${source}","signature":"${signature}"}`;
  if (!text.startsWith(head) || !text.endsWith(tail)) return undefined;
  const written = tryPayloadText(payload, text.length);
  if (written?.text.length !== text.length - head.length - tail.length) return undefined;
  return text.startsWith(written.text, head.length) ? { value, payload: written } : undefined;
}

/**
 * The canonical text of a payload. Arguments of a tool call are written once, for `args_hash` and for the
 * signature: in a payload that passed its schema `args` sorts before every other key. `length`: of the frame;
 * `args`: the text of its arguments, where that is known.
 */
export function payloadText(
  payload: JsonObject,
  known: { readonly length?: number; readonly args?: string | undefined } = {},
): PayloadText {
  const isCall = payload['args'] !== undefined && Object.hasOwn(payload, 'bytes_in');
  if (!isCall) return { text: canonicalize(payload, 1), args: undefined };
  if (known.length !== undefined && known.length <= SHORT)
    return { text: canonicalize(payload, 1), args: canonicalize(payload['args'], 2) };
  const { args, ...rest } = payload;
  const argsText = known.args ?? canonicalize(args, 2);
  return { text: `{"args":${argsText},${canonicalize(rest, 1).slice(1)}`, args: argsText };
}

function tryPayloadText(payload: JsonObject, length: number): PayloadText | undefined {
  try {
    return payloadText(payload, { length });
  } catch (error) {
    // Half of a surrogate pair: the strict parser refuses it in its own words.
    if (isSublError(error)) return undefined;
    throw error;
  }
}

function isPlain(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && PLAIN.test(value);
}
