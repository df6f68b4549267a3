import type { JsonObject, JsonValue } from '@subluminal/core-types';
import { type Finding, listed, type Path, quoted } from '../problem/problem.js';
import { plainKey } from '../source/keys.js';
import { isTreeList, isTreeMap, type Tree, type TreeMap } from '../source/tree.js';

/**
 * Reads the values of a file with its mistakes gathered: whoever reads on gets something of the right type.
 */
export class Fields {
  readonly findings: Finding[] = [];

  /** A mapping with no other keys than these; empty where it is none. */
  map(value: Tree | undefined, path: Path, keys: readonly string[]): TreeMap {
    if (!isTreeMap(value)) {
      this.wrong(path, 'is not a mapping', `write a mapping with ${listed(keys)}`);
      return {};
    }
    for (const key of Object.keys(value)) {
      if (keys.includes(key)) continue;
      const message = `the key ${quoted(plainKey(key))} is not known here`;
      const help = `allowed here: ${listed(keys)}`;
      this.findings.push({ code: 'unknown_key', message, path: [...path, key], at: 'key', help });
    }
    return value;
  }

  /** The items of a list; none where it is no list. */
  list(value: Tree | undefined, path: Path, what: string): readonly Tree[] {
    if (isTreeList(value)) return value;
    this.wrong(path, 'is not a list', `write a list of ${what}`);
    return [];
  }

  text(value: Tree | undefined, path: Path): string {
    if (typeof value === 'string' && value !== '') return value;
    this.wrong(path, 'is not a text', 'put it in double quotes');
    return '';
  }

  texts(value: Tree | undefined, path: Path): readonly string[] {
    return this.list(value, path, 'texts').map((item, at) => this.text(item, [...path, at]));
  }

  whole(value: Tree | undefined, path: Path, max: number): number {
    if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= max) return value;
    this.wrong(path, 'is not such a number', `write a whole number from 0 to ${max}`);
    return 0;
  }

  /** One of a few words; the first of them where it is none. */
  word<const Word extends string>(
    value: Tree | undefined,
    path: Path,
    words: readonly [Word, ...(readonly Word[])],
  ): Word {
    const found = words.find((word) => word === value);
    if (found !== undefined) return found;
    this.wrong(path, 'is not allowed here', `allowed here: ${listed(words)}`);
    return words[0];
  }

  /** A moment in epoch milliseconds. */
  moment(value: Tree | undefined, path: Path): number {
    const time = typeof value === 'string' && RFC3339.test(value) ? Date.parse(value) : Number.NaN;
    if (!Number.isNaN(time)) return time;
    this.wrong(path, 'is not a time', 'write it as `"2026-01-31T12:00:00Z"`, in double quotes');
    return 0;
  }

  json(value: Tree | undefined): JsonValue {
    if (isTreeList(value)) return value.map((item) => this.json(item));
    if (!isTreeMap(value)) return value ?? null;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [plainKey(key), this.json(item)]));
  }

  object(value: Tree | undefined, path: Path): JsonObject {
    if (isTreeMap(value)) {
      const entries = Object.entries(value).map(([key, item]) => [plainKey(key), this.json(item)] as const);
      return Object.fromEntries(entries);
    }
    this.wrong(path, 'is not a mapping', 'write a mapping of names and values');
    return {};
  }

  missing(path: Path, key: string, help: string): void {
    this.findings.push({ code: 'missing_key', message: `the key ${quoted(key)} is missing`, path, help });
  }

  wrong(path: Path, why: string, help: string): void {
    const last = path.at(-1);
    const what =
      typeof last === 'string'
        ? quoted(plainKey(last))
        : last === undefined
          ? 'the file'
          : `item ${last + 1}`;
    this.findings.push({ code: 'wrong_type', message: `${what} ${why}`, path, help });
  }
}

const RFC3339 =
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,3})?(?:Z|[+-][0-9]{2}:[0-9]{2})$/;

/** Whether a mapping says something for a key of its own. */
export function has(map: TreeMap, key: string): boolean {
  return Object.hasOwn(map, key);
}

/** The words of an enumeration. */
export function wordsOf<const Word extends string>({
  options,
}: {
  readonly options: readonly Word[];
}): readonly [Word, ...(readonly Word[])] {
  const [first, ...rest] = options;
  if (first === undefined) throw new Error('an enumeration has no words');
  return [first, ...rest];
}
