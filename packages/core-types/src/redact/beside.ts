import { canonicalize } from '../json/canonicalize.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/value.js';
import { findCommands } from './commands.js';
import { findFlags } from './flags.js';
import { MASK, type Span } from './mask.js';
import { findPairs } from './pairs.js';

/**
 * The object with each value masked whose name is a value beside it: `["--password","…"]`,
 * `{"name":"X-Api-Key","value":"…"}`. Names of members are not looked at. Time is linear in the text.
 */
export function withoutNamedBeside(object: JsonObject): JsonObject {
  const leaves: Span[] = [];
  const text = written(object, '', leaves);
  const spans = [...findPairs(text), ...findFlags(text), ...findCommands(text)]
    .filter(({ start, end }) => text.slice(start, end) !== MASK)
    .toSorted((a, b) => a.start - b.start);
  if (spans.length === 0) return object;
  const hit = hitsOf(leaves, spans);
  let at = 0;
  const shown = (value: JsonValue): JsonValue => {
    if (Array.isArray(value)) return value.map(shown);
    if (isJsonObject(value))
      return Object.fromEntries(sorted(value).map((key) => [key, shown(value[key] ?? null)]));
    at += 1;
    return hit.has(at - 1) ? MASK : value;
  };
  const masked = shown(object);
  return isJsonObject(masked) ? masked : object;
}

/** The canonical text behind `before`. `leaves` gets the place of each scalar in it, in order. */
function written(value: JsonValue, before: string, leaves: Span[]): string {
  let text = before;
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) text = written(item, `${text}${at === 0 ? '[' : ','}`, leaves);
    return `${text}${value.length === 0 ? '[' : ''}]`;
  }
  if (isJsonObject(value)) {
    const keys = sorted(value);
    for (const [at, key] of keys.entries())
      text = written(value[key] ?? null, `${text}${at === 0 ? '{' : ','}${canonicalize(key)}:`, leaves);
    return `${text}${keys.length === 0 ? '{' : ''}}`;
  }
  text += canonicalize(value);
  leaves.push({ start: before.length, end: text.length });
  return text;
}

function sorted(object: JsonObject): readonly string[] {
  return Object.keys(object).toSorted();
}

/** Which of the leaves a span lies in, wholly or in part. */
function hitsOf(leaves: readonly Span[], spans: readonly Span[]): ReadonlySet<number> {
  const hit = new Set<number>();
  let end = 0;
  let next = 0;
  for (const [at, leaf] of leaves.entries()) {
    for (let span = spans[next]; span !== undefined && span.start < leaf.end; span = spans[next]) {
      if (span.end > leaf.start) end = Math.max(end, span.end);
      next += 1;
    }
    if (end > leaf.start) hit.add(at);
  }
  return hit;
}
