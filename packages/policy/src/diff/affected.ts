import { compareCodePoints } from '@subluminal/core-types';
import type { PlainMatch, PlainNames, PlainPolicy, PlainRule } from '../snapshot/plain.js';
import type { Affected } from './change.js';

/** Everybody that the policy is meant for. */
export function everyCall({ selectors }: PlainPolicy): Affected {
  return {
    selectors,
    servers: null,
    tools: null,
    risk_classes: null,
    arguments: null,
    utc_hours: null,
    objects: null,
  };
}

/** The calls that one of these rules looks at; several, where a rule was changed. */
export function callsOf({ selectors }: PlainPolicy, ...rules: readonly PlainRule[]): Affected {
  const matches = rules.map(({ match }) => match);
  return {
    selectors,
    servers: union(matches, ({ server_name: names }) => namesOf(names)),
    tools: union(matches, ({ tool_name: names }) => namesOf(names)),
    risk_classes: union(matches, ({ risk_class: classes }) => classes ?? null),
    arguments: union(matches, argumentsOf),
    utc_hours: union(matches, ({ time }) => time?.utc_hours ?? null),
    objects: union(matches, objectsOf),
  };
}

function union<Value extends string | number>(
  matches: readonly PlainMatch[],
  read: (match: PlainMatch) => readonly Value[] | null,
): readonly Value[] | null {
  const lists = matches.map((match) => read(match));
  if (lists.includes(null)) return null;
  const values = [...new Set(lists.flatMap((list) => list ?? []))];
  return values.toSorted((a, b) =>
    typeof a === 'number' && typeof b === 'number' ? a - b : compareCodePoints(String(a), String(b)),
  );
}

function namesOf(names: PlainNames | undefined): readonly string[] | null {
  if (names === undefined || names.glob?.includes('*') === true) return null;
  return [...(names.glob ?? []), ...(names.regex ?? []).map((regex) => `/${regex}/`)];
}

function objectsOf({ path, command, host, sql }: PlainMatch): readonly string[] | null {
  const parts = Object.entries({ path, command, host, sql }).filter(([, part]) => part !== undefined);
  return parts.length === 0 ? null : parts.map(([name]) => name);
}

function argumentsOf({ args }: PlainMatch): readonly string[] | null {
  if (args === undefined) return null;
  return [
    ...(args.has_keys ?? []),
    ...(args.text ?? []).map(({ at }) => at),
    ...[args.key_equals, args.key_in, args.numeric_range].flatMap((record) => Object.keys(record ?? {})),
  ];
}
