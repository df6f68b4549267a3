import { ExactNumber, isJsonObject, type JsonObject, type JsonValue } from '@subluminal/core-types';
import { foldName } from '../message/names.js';
import { isReservedCode } from '../message/reserved.js';

/** JSON-RPC's "internal error", in place of a code that an upstream must not use. */
export const INTERNAL_ERROR = -32603;

/**
 * An upstream's error without the members that only a gateway may send: our codes and `data.subluminal`,
 * however they are spelt, and `__proto__`. Undefined when it has none of them and can pass as it is.
 * ARCHITECTURE.md, "The shim": no server can forge a hint.
 */
export function withoutForgery(error: JsonValue): JsonObject | undefined {
  if (!isJsonObject(error)) return undefined;
  let forged = false;
  const clean: [string, JsonValue][] = [];
  for (const [key, value] of Object.entries(error)) {
    // Copied by assignment, what stands in it would be the error's own.
    if (key === '__proto__') {
      forged = true;
      continue;
    }
    const name = foldName(key);
    if (name === 'code' && isReserved(value)) {
      forged = true;
      if (key === 'code') clean.push([key, INTERNAL_ERROR]);
    } else if (name === 'data' && isJsonObject(value)) {
      const kept = Object.entries(value).filter(
        ([member]) => member !== '__proto__' && foldName(member) !== 'subluminal',
      );
      forged ||= kept.length < Object.keys(value).length;
      clean.push([key, Object.fromEntries(kept)]);
    } else clean.push([key, value]);
  }
  return forged ? Object.fromEntries(clean) : undefined;
}

/** A code is what a client makes of it: a text or a long decimal may become the number. */
function isReserved(code: JsonValue): boolean {
  if (code instanceof ExactNumber) return isReservedCode(Number(code.text));
  return (typeof code === 'number' || typeof code === 'string') && isReservedCode(Number(code));
}
