import type { JsonValue } from '@subluminal/core-types/portable';
import { plainLines } from './plain-text.js';

/** JSON as it is shown: indented, and cut where it is long. */
export function jsonText(value: JsonValue | undefined, most = 64 * 1024): string {
  return value === undefined ? '' : plainLines(JSON.stringify(value, null, 2), most);
}

/** A text that may be JSON: indented where it is, as it stands where it is not. */
export function asRead(text: string): string {
  if (text.length > 64 * 1024 || !/^[[{]/.test(text)) return plainLines(text);
  try {
    const value: JsonValue = JSON.parse(text);
    return jsonText(value);
  } catch {
    return plainLines(text);
  }
}
