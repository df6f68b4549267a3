import { canonicalNumber, ExactNumber, isSublError, type JsonValue } from '@subluminal/core-types';
import type { MessageId } from './message.js';

/** Longer ids are refused: they are kept while a request is in flight. */
const MAX_ID_LENGTH = 1024;

/** The id in a value; undefined when it is neither a number nor a string of bearable length. */
export function messageIdOf(value: JsonValue | undefined): MessageId | undefined {
  if (typeof value === 'string') {
    return value.length > MAX_ID_LENGTH ? undefined : { key: `s${value}`, text: JSON.stringify(value) };
  }
  if (typeof value === 'number') return numberId(String(value));
  return value instanceof ExactNumber ? numberId(value.text) : undefined;
}

/** The id in a number literal; undefined when its canonical form is too long. */
export function literalId(literal: string): MessageId | undefined {
  try {
    return numberId(canonicalNumber(literal));
  } catch (error) {
    if (isSublError(error, 'invalid_json')) return undefined;
    throw error;
  }
}

function numberId(text: string): MessageId {
  return { key: `n${text}`, text };
}
