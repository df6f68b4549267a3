import { isJsonObject, type JsonObject, type JsonValue } from '../json/value.js';
import { Automaton } from './automaton.js';
import { jsonLayers, type Layer } from './json-layers.js';
import type { FindValues } from './mask.js';
import { mask } from './redact.js';
import { renamed } from './renamed.js';

/** A value that must not be shown, and the name that stands in its place. */
export interface HiddenValue {
  readonly name: string;
  readonly value: string;
}

/**
 * A text may be cut within a value: then half of it, and never more than so many characters, give it away.
 */
const LONGEST_START = 12;
/** Texts that are cut are longer. */
const SHORTEST_CUT = 64;

/** The mark in place of a value. */
export function hiddenMark(name: string): string {
  return `[REDACTED:${name}]`;
}

/**
 * The ways in which a value stands in texts, the longest first: as it is, as it is written in JSON, and as
 * that is written in JSON once more (a result whose text is JSON).
 */
export function writingsOf(value: string): readonly string[] {
  const once = JSON.stringify(value).slice(1, -1);
  const twice = JSON.stringify(once).slice(1, -1);
  return [...new Set([twice, once, value])];
}

/**
 * Gives a text without the values. `cut` says that the text may end within a value: the beginning of that
 * value is then taken out of the text's end. It is never for somebody who can choose the text and sees the
 * outcome: the mark would tell him whether he has guessed the beginning.
 */
export type ExactMask = (text: string, cut?: boolean) => string;

/** A piece of a text that is not shown, and the value for which it is not. */
interface Span {
  readonly start: number;
  readonly end: number;
  readonly of: number;
}

/**
 * Takes values out of texts, as they are and however JSON spells them, also in a text of JSON, and where a
 * text ends within one. The cost grows with the text alone. Undefined where there are no values.
 */
export function exactMask(
  values: readonly HiddenValue[],
  { cut: isUsuallyCut = true }: { readonly cut?: boolean } = {},
): ExactMask | undefined {
  if (values.length === 0) return undefined;
  const find = exactSpans(values);
  return (text, cut = isUsuallyCut) => mask(text, find(text, cut), text.length);
}

/** Finds them as `exactMask` does. */
export function exactSpans(values: readonly HiddenValue[]): FindValues {
  const automaton = new Automaton(
    values.map(({ value }) => Array.from({ length: value.length }, (_, at) => value.charCodeAt(at))),
  );
  const longer = (a: Span, b: Span): number =>
    (values[b.of]?.value.length ?? 0) > (values[a.of]?.value.length ?? 0) ? b.of : a.of;
  return (text, cut) => {
    const spans = [...jsonLayers(text)].flatMap((layer) => found(layer, cut && text.length >= SHORTEST_CUT));
    return joined(spans.toSorted((a, b) => a.start - b.start)).map(({ start, end, of }) => ({
      start,
      end,
      mark: hiddenMark(values[of]?.name ?? ''),
    }));
  };

  /** Those of one layer, in the order of their ends, none within another. */
  function found({ units, starts }: Layer, isCut: boolean): Span[] {
    const spans: Span[] = [];
    const add = (from: number, to: number, of: number): void => {
      let span: Span = { start: starts[from] ?? 0, end: starts[to] ?? 0, of };
      for (let last = spans.at(-1); last !== undefined && span.start < last.end; last = spans.at(-1)) {
        span = { start: Math.min(span.start, last.start), end: span.end, of: longer(last, span) };
        spans.pop();
      }
      spans.push(span);
    };
    let state = 0;
    for (let at = 0; at < units.length; at += 1) {
      state = automaton.step(state, units[at] ?? 0);
      const of = automaton.found[state] ?? -1;
      if (of >= 0) add(at + 1 - (values[of]?.value.length ?? 0), at + 1, of);
    }
    for (state = isCut ? state : 0; state !== 0; state = automaton.fail[state] ?? 0) {
      const begun = automaton.depth[state] ?? 0;
      const of = automaton.begins[state] ?? 0;
      if (begun < Math.min(LONGEST_START, Math.ceil((values[of]?.value.length ?? 0) / 2))) continue;
      add(units.length - begun, units.length, of);
      break;
    }
    return spans;
  }

  function joined(spans: readonly Span[]): Span[] {
    const all: Span[] = [];
    for (const span of spans) {
      const last = all.at(-1);
      if (last === undefined || span.start >= last.end) all.push(span);
      else
        all[all.length - 1] = {
          start: last.start,
          end: Math.max(last.end, span.end),
          of: longer(last, span),
        };
    }
    return all;
  }
}

/**
 * Applies `hide` to every text in the object, names included: the writer of an object can give a field any
 * name.
 */
export function maskedObject(value: JsonObject, hide: (text: string) => string): JsonObject {
  return renamed(value, hide, (_, item) => maskedJson(item, hide));
}

/** The same of any value. */
export function maskedJson(value: JsonValue, hide: (text: string) => string): JsonValue {
  if (typeof value === 'string') return hide(value);
  if (Array.isArray(value)) return value.map((item: JsonValue) => maskedJson(item, hide));
  return isJsonObject(value) ? maskedObject(value, hide) : value;
}
