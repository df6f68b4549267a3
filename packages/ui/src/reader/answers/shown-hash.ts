import { canonicalize, type JsonObject, sha256Hex } from '@subluminal/core-types';

/** What an answer is bound to: the hash of all that a card shows. */
export function shownHash(facts: JsonObject): string {
  return sha256Hex(canonicalize(facts));
}
