import { canonicalize, type JsonObject, sha256Hex } from '@subluminal/core-types';

/** The hash of all that a card shows: an answer is bound to it. */
export function shownHash(facts: JsonObject): string {
  return sha256Hex(canonicalize(facts));
}
