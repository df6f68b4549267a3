import { assertTextDepth, MAX_DEPTH } from './depth.js';
import { StrictParser } from './strict-parser.js';
import type { JsonValue } from './value.js';

/** How `parseJson` reads. */
export interface ParseOptions {
  /** How deep containers may nest, 1 to 64. Default 64. */
  readonly maxDepth?: number;
}

/**
 * Reads strict JSON (RFC 8259) without losing or inventing anything: no duplicate keys (after unescaping), no
 * lone surrogates, no text after the value, no number rounded to a double (those become `ExactNumber`s),
 * `__proto__` is an ordinary own key. Throws `too_deep` or `invalid_json`; never overflows the stack.
 */
export function parseJson(text: string, options: ParseOptions = {}): JsonValue {
  const maxDepth = options.maxDepth ?? MAX_DEPTH;
  if (!Number.isInteger(maxDepth) || maxDepth < 1 || maxDepth > MAX_DEPTH) {
    throw new RangeError(`maxDepth must be an integer from 1 to ${MAX_DEPTH}`);
  }
  assertTextDepth(text, maxDepth);
  const quick = parseUnambiguous(text);
  return quick === undefined ? new StrictParser(text, maxDepth).parse() : quick;
}

/**
 * The value of a text that JSON.parse and JSON.stringify map onto itself, else undefined. Such a text has no
 * duplicate key, no rounded number, no raw lone surrogate and no second spelling of anything; only escaped
 * lone surrogates survive the round trip, hence the search for their prefix.
 */
export function parseUnambiguous(text: string): JsonValue | undefined {
  if (text.includes('\\ud')) return undefined;
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // Not JSON for JSON.parse: the strict parser refuses it again and says where.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  return JSON.stringify(value) === text ? value : undefined;
}
