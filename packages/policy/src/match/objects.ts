import { isJsonObject, MAX_DEPTH, type JsonObject, type JsonValue } from '@subluminal/core-types';
import type { PatternPool } from '../pattern/pool.js';
import type { PlainHost, PlainSql, PlainText } from '../snapshot/plain-objects.js';
import type { Condition, Match } from './condition.js';
import { hasUnknownWord, isCodeKnown } from './known.js';
import { overAll, type Quantity } from './quantity.js';

/** Text of a call that is looked through, in characters; the rest is not inspected. */
const MAX_TEXT = 262_144;

/** The condition on the hosts that a call names. */
export function hostCondition(host: PlainHost, quantity: Quantity, pool: PatternPool): Condition {
  const { not_glob, ...own } = host;
  const fits = own.glob === undefined && own.regex === undefined ? () => true : pool.names(own).test;
  const isOther = not_glob === undefined ? () => false : pool.names({ glob: not_glob }).test;
  const test = (name: string): boolean => fits(name) && !isOther(name);
  return {
    field: 'host',
    test: ({ call: { readings } }) => {
      if (readings === undefined) return 'unknown';
      const { hosts, unread } = readings;
      const found = overAll(hosts, quantity, (name) => (test(name) ? 'yes' : 'no'));
      if (quantity === 'some') return unread.host === null || found === 'yes' ? found : 'unknown';
      // An address that only run time knows may be any.
      const isKnown =
        unread.host === null && isCodeKnown(readings) && !hasUnknownWord(readings, ({ network }) => network);
      return isKnown || found !== 'yes' ? found : 'unknown';
    },
  };
}

/** The condition on the statements of the queries of a call. */
export function sqlCondition(
  { verbs, without_where, unparsed }: PlainSql,
  quantity: Quantity,
  pool: PatternPool,
): Condition {
  const test = verbs === undefined ? undefined : pool.names({ glob: verbs }).test;
  return {
    field: 'sql',
    test: ({ call: { readings } }) => {
      if (readings === undefined) return 'unknown';
      if (unparsed === true) return readings.unread.sql === null ? 'no' : 'yes';
      const found = overAll(readings.statements, quantity, (one): Match => {
        if (test !== undefined && !test(one.verb)) return 'no';
        return without_where !== undefined && one.without_where !== without_where ? 'no' : 'yes';
      });
      if (quantity !== 'every' || found !== 'yes') return found;
      const isKnown = readings.unread.sql === null && isCodeKnown(readings) && !hasUnknownWord(readings);
      return isKnown ? found : 'unknown';
    },
  };
}

/** The conditions on texts in the arguments, wherever they stand: one for each of the list. */
export function textConditions(texts: readonly PlainText[], pool: PatternPool): readonly Condition[] {
  return texts.map((text) => {
    const { at, not, contains, glob, regex } = text;
    const named =
      glob === undefined && regex === undefined
        ? undefined
        : pool.names({ ...(glob === undefined ? {} : { glob }), ...(regex === undefined ? {} : { regex }) })
            .test;
    const fits = (value: string): boolean =>
      named?.(value) === true || contains?.some((part) => value.includes(part)) === true;
    return {
      field: `args.text.${at}`,
      test: ({ call: { args } }): Match => {
        if (args === undefined) return 'unknown';
        const found = lookAt(args, at, fits);
        if (found === 'unknown' || not !== true) return found;
        return found === 'yes' ? 'no' : 'yes';
      },
    };
  });
}

/** Whether a text at that place fits; `unknown` where there is more text than is looked through. */
function lookAt(args: JsonObject, at: string, fits: (text: string) => boolean): Match {
  let left = MAX_TEXT;
  const ask = (text: string): Match => {
    if (text.length > left) return 'unknown';
    left -= text.length;
    return fits(text) ? 'yes' : 'no';
  };
  const starts = at === '**' ? [args] : valuesAt(args, at);
  let found: Match = 'no';
  for (const text of starts.flatMap((value) => textsOf(value, at === '**' ? MAX_DEPTH : 1))) {
    const match = ask(text);
    if (match === 'yes') return 'yes';
    if (match === 'unknown') found = 'unknown';
  }
  return found;
}

/** The values at a key, or at a path of keys joined by dots. */
function valuesAt(args: JsonObject, at: string): readonly JsonValue[] {
  if (Object.hasOwn(args, at)) return [args[at] ?? null];
  let value: JsonValue | undefined = args;
  for (const key of at.split('.')) {
    if (value === undefined || value === null || typeof value !== 'object') return [];
    if (Array.isArray(value)) value = value[Number(key)];
    else value = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return value === undefined ? [] : [value];
}

/** The texts in a value: itself, or those in it; the texts of a list are at the place of the list. */
function textsOf(value: JsonValue, depth: number): readonly string[] {
  if (typeof value === 'string') return [value];
  if (value === null || typeof value !== 'object' || depth < 0) return [];
  if (Array.isArray(value)) return value.flatMap((one) => textsOf(one, depth - 1));
  return depth === MAX_DEPTH || depth > 1
    ? Object.values(value).flatMap((one) => textsOf(one as JsonValue, depth - 1))
    : [];
}
