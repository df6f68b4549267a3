import { canonicalize, ExactNumber, type JsonObject, type JsonValue, own } from '@subluminal/core-types';
import { isSmall } from './size.js';

const ARGUMENT = /^args\.(.+)$/s;
/** The longest text that a template makes. */
const MAX_TEXT = 16_384;

/** The values of placeholders. */
export interface TemplateValues {
  readonly args: JsonObject;
  /** The rest of a budget; undefined for other rules. */
  readonly remaining: JsonValue | undefined;
}

/** The first placeholder of a text that there is none of, or undefined. */
export function unknownPlaceholder(text: string, withRemaining: boolean): string | undefined {
  for (const { start, end, name } of placeholdersOf(text)) {
    if (!ARGUMENT.test(name) && !(withRemaining && name === 'remaining')) return text.slice(start, end);
  }
  return undefined;
}

interface Placeholder {
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

/** By hand: a regular expression takes the square of the time for a text of nothing but `{{`. */
function placeholdersOf(text: string): readonly Placeholder[] {
  const found: Placeholder[] = [];
  for (let at = 0; ;) {
    const start = text.indexOf('{{', at);
    const close = start === -1 ? -1 : text.indexOf('}}', start + 2);
    if (close === -1) return found;
    at = close + 2;
    found.push({ start, end: at, name: text.slice(start + 2, close) });
  }
}

/** A value with its placeholders filled in; undefined where one of them stands for nothing. */
export function fillIn(template: JsonValue, values: TemplateValues): JsonValue | undefined {
  if (typeof template === 'string') return fillText(template, values);
  if (typeof template !== 'object' || template === null || template instanceof ExactNumber) return template;
  if (isList(template)) return fillList(template, values);
  const filled: Record<string, JsonValue> = Object.create(null);
  for (const [key, child] of Object.entries(template)) {
    const value = fillIn(child, values);
    if (value === undefined) return undefined;
    filled[key] = value;
  }
  return filled;
}

function fillList(template: readonly JsonValue[], values: TemplateValues): JsonValue | undefined {
  const filled: JsonValue[] = [];
  for (const child of template) {
    const value = fillIn(child, values);
    if (value === undefined) return undefined;
    filled.push(value);
  }
  return filled;
}

function fillText(text: string, values: TemplateValues): JsonValue | undefined {
  const parts = placeholdersOf(text);
  const [first] = parts;
  if (first === undefined) return text;
  if (first.start === 0 && first.end === text.length) return valueOf(first.name, values);
  let filled = '';
  let at = 0;
  for (const { start, end, name } of parts) {
    const value = valueOf(name, values);
    if (value === undefined || !isSmall(value)) return undefined;
    filled += text.slice(at, start) + (typeof value === 'string' ? value : canonicalize(value));
    if (filled.length > MAX_TEXT) return undefined;
    at = end;
  }
  return filled + text.slice(at);
}

function valueOf(name: string, { args, remaining }: TemplateValues): JsonValue | undefined {
  if (name === 'remaining') return remaining;
  const key = ARGUMENT.exec(name)?.[1];
  return key === undefined ? undefined : own(args, key);
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
