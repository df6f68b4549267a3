import type * as z from 'zod';
import { ExactNumber } from '../json/value.js';
import { startOf } from '../json/well-formed.js';

type Issue = z.core.$ZodIssue;

/**
 * A value that does not fit a schema, for the person who wrote it: what is wrong where, and what may stand
 * there.
 */
export interface Mistake {
  readonly message: string;
  readonly help: string;
}

/** The longest part of what was given that is repeated, in UTF-16 units. */
const MAX_QUOTED = 200;

/**
 * The first mistake in `given`. `root` names what has no path, such as `the payload`. Values are not
 * repeated, since they may be secret; names are, without control characters. `nameOf` tells what a place is
 * called where it was written.
 */
export function firstMistake(
  error: Pick<z.ZodError, 'issues'>,
  given: unknown,
  root: string,
  nameOf: (path: readonly PropertyKey[]) => string = dotted,
): Mistake {
  const [issue] = error.issues;
  if (issue === undefined) return { message: `${root} does not fit`, help: 'correct it' };
  const where = issue.path.length === 0 ? root : quoted(nameOf(issue.path));
  if (issue.code === 'unrecognized_keys') {
    const key = quoted(nameOf([...issue.path, ...issue.keys.slice(0, 1)]));
    return { message: `${key} is not known`, help: 'remove it, or correct its name' };
  }
  const value = valueAt(given, issue.path);
  const help = own(issue) ?? `expected there: ${expectation(issue)}`;
  if (value === undefined) return { message: `${where} is missing`, help };
  if (issue.code === 'invalid_type') return { message: `${where} is ${typeOf(value)}`, help };
  if (value === '') return { message: `${where} is empty`, help };
  return { message: `${where} has a value that is not allowed`, help };
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ['string', 'a text'],
  ['number', 'a number'],
  ['int', 'a whole number'],
  ['boolean', '`true` or `false`'],
  ['object', 'an object'],
  ['record', 'an object'],
  ['array', 'a list'],
]);

const UNITS: ReadonlyMap<string, string> = new Map([
  ['string', 'a text of'],
  ['array', 'a list of'],
]);

const FORMATS: ReadonlyMap<string, string> = new Map([
  ['datetime', 'a time such as `2026-01-31T09:30:00Z`'],
  ['date', 'a date such as `2026-01-31`'],
  ['email', 'an e-mail address'],
  ['uuid', 'a UUID'],
  ['url', 'a URL'],
]);

function expectation(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return TYPES.get(issue.expected) ?? 'another kind of value';
    case 'invalid_value':
      return issue.values.map((value) => quoted(String(value))).join(' or ');
    case 'too_small':
      return `${UNITS.get(issue.origin) ?? 'a number of'} at least ${bound(issue.minimum, issue.origin)}`;
    case 'too_big':
      return `${UNITS.get(issue.origin) ?? 'a number of'} at most ${bound(issue.maximum, issue.origin)}`;
    case 'invalid_format':
      return FORMATS.get(issue.format) ?? `a text that matches ${quoted(issue.pattern ?? '')}`;
    default:
      return 'another value';
  }
}

function bound(limit: number | bigint, origin: string): string {
  if (origin === 'string') return `${limit} ${limit === 1 ? 'character' : 'characters'}`;
  if (origin === 'array') return `${limit} ${limit === 1 ? 'element' : 'elements'}`;
  return String(limit);
}

/**
 * The words of a schema of ours about its own rule. The validator's words, which begin with a capital, are
 * not for people.
 */
function own({ code, message }: Issue): string | undefined {
  const isRule = code === 'custom' || code === 'invalid_format';
  return isRule && /^[a-z]/.test(message) ? message : undefined;
}

function dotted(path: readonly PropertyKey[]): string {
  return path.map(String).join('.');
}

function valueAt(given: unknown, path: readonly PropertyKey[]): unknown {
  let value = given;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Object.getOwnPropertyDescriptor(value, key)?.value;
  }
  return value;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (value instanceof ExactNumber) return 'a number';
  if (typeof value === 'number') return Number.isInteger(value) ? 'a whole number' : 'a number';
  return TYPES.get(typeof value) ?? 'another kind of value';
}

function quoted(text: string): string {
  return `\`${startOf(text.replaceAll(/\p{C}/gu, '\u{fffd}'), MAX_QUOTED)}\``;
}
