import { ExactNumber, type JsonValue } from '@subluminal/core-types';

/** The most characters that suggested arguments may have, roughly. */
const MAX_CHARACTERS = 65_536;

/** Whether a value is small enough to be given back in an answer. Looks at no more of it than that. */
export function isSmall(value: JsonValue): boolean {
  return take(value, MAX_CHARACTERS) >= 0;
}

/** The rest of `room` behind a value; negative where there was not enough. */
function take(value: JsonValue, room: number): number {
  if (typeof value === 'string') return room - value.length - 2;
  if (value instanceof ExactNumber) return room - value.text.length;
  if (typeof value !== 'object' || value === null) return room - 5;
  let left = room - 2;
  if (isList(value)) {
    for (let at = 0; at < value.length && left >= 0; at += 1) left = take(value[at] ?? null, left - 1);
    return left;
  }
  // By key: a list of all entries would be as large as what is measured.
  for (const key in value) {
    if (left < 0) return left;
    if (Object.hasOwn(value, key)) left = take(value[key] ?? null, left - key.length - 4);
  }
  return left;
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
