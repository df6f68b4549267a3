import { canonicalize, isJsonObject, type JsonValue } from '@subluminal/core-types';
import { escapeText } from './escape.js';

/**
 * A value of a service or the gateway for people: text by its lines, objects indented, everything escaped.
 */
export function printable(value: JsonValue, indent = ''): readonly string[] {
  if (value === null) return [];
  if (typeof value === 'string') return value.split('\n').map((line) => `${indent}${escapeText(line)}`);
  if (!isJsonObject(value)) return [`${indent}${escapeText(canonicalize(value))}`];
  return Object.entries(value).flatMap(([name, member]) => {
    const key = `${indent}${escapeText(name)}`;
    if (member !== null && isJsonObject(member)) return [`${key}:`, ...printable(member, `${indent}  `)];
    return [`${key}: ${escapeText(typeof member === 'string' ? member : canonicalize(member))}`];
  });
}
