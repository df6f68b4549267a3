import { compileGlob } from '../pattern/glob.js';
import { MAX_ALL_PROGRAMS, MAX_PROGRAM_SIZE } from '../pattern/limits.js';
import { compileRegex, type PatternResult } from '../pattern/regex.js';
import { type Finding, quoted } from '../problem/problem.js';
import type { Tree } from '../source/tree.js';
import { findHintMistakes } from './hints.js';
import { findLimitMistakes } from './limits.js';
import { findObjectMistakes } from './objects.js';
import { findOverrideMistakes } from './overrides.js';
import { findToolMistakes } from './tools.js';
import { findWorldMistakes } from '../world/mistakes.js';
import { children, listAt, mapAt, type Part, partAt, rulesOf } from './parts.js';

const GLOB_HELP =
  'a glob has `*`, `?`, `[a-z]`, `[!a-z]`, `{get,list}`; `\\` takes the next character literally';
const REGEX_HELP = 'a regex is RE2 syntax (no lookaround, no backreferences) and has to match the whole name';
const PATTERN_HELP = { glob: GLOB_HELP, regex: REGEX_HELP } as const;

/** Mistakes that the schema cannot see: patterns, empty lists, ranges, repeated ids. Works on any tree. */
export function findContentMistakes(tree: Tree): readonly Finding[] {
  const rules = rulesOf(tree);
  const room: PatternRoom = { left: MAX_ALL_PROGRAMS, seen: new Set() };
  return [
    ...emptyLists(children(mapAt({ value: tree, path: [] }, 'selectors'))),
    ...emptyLists(children(mapAt(mapAt({ value: tree, path: [] }, 'selectors'), 'workload'))),
    ...repeatedIds(rules),
    ...findToolMistakes(tree, (part, kind) => patternMistakes(part, kind, room)),
    ...findObjectMistakes(tree, (part, kind) => patternMistakes(part, kind, room)),
    ...rules.flatMap((rule) => matchMistakes(mapAt(rule, 'match'), room)),
    ...rules.flatMap((rule) => emptyLists(effectLists(rule))),
    ...findLimitMistakes(tree),
    ...findOverrideMistakes(tree),
    ...findHintMistakes(tree),
    ...findWorldMistakes(tree, (part, kind) => patternMistakes(part, kind, room)),
  ];
}

/** The steps that the patterns still to come may compile to. */
interface PatternRoom {
  left: number;
  readonly seen: Set<string>;
}

function matchMistakes(match: Part | undefined, room: PatternRoom): readonly Finding[] {
  const args = mapAt(match, 'args');
  const keyIn = mapAt(args, 'key_in');
  const named = ['server_name', 'tool_name'].map((key) => mapAt(match, key));
  const time = mapAt(match, 'time');
  const mappings = [
    ...named,
    args,
    time,
    ...['key_equals', 'key_in', 'numeric_range'].map((key) => mapAt(args, key)),
  ];
  const lists = [...children(match), ...[args, keyIn, time, ...named].flatMap(children)];
  return [
    ...mappings.flatMap(emptyMapping),
    ...emptyLists(lists),
    ...named.flatMap((names) => [
      ...patternMistakes(listAt(names, 'glob'), 'glob', room),
      ...patternMistakes(listAt(names, 'regex'), 'regex', room),
    ]),
    ...children(mapAt(args, 'numeric_range')).flatMap(rangeMistakes),
  ];
}

function effectLists(rule: Part): readonly Part[] {
  const effect = mapAt(rule, 'effect');
  const parts = [effect, ...['budget', 'rate_limit', 'breaker', 'dedupe'].map((key) => mapAt(effect, key))];
  return parts.flatMap((part) => ['overrides', 'drop_args'].flatMap((key) => listAt(part, key) ?? []));
}

function patternMistakes(
  list: Part | undefined,
  kind: 'glob' | 'regex',
  room: PatternRoom,
): readonly Finding[] {
  return children(list).flatMap(({ value, path }): readonly Finding[] => {
    if (typeof value !== 'string' || room.left < 0) return [];
    const name = `${kind} ${value}`;
    if (room.seen.has(name)) return [];
    const result: PatternResult = kind === 'glob' ? compileGlob(value) : compileRegex(value);
    // One that is too large was made as well, and took its time.
    room.left -= result.ok ? result.size : result.code === 'pattern_too_large' ? MAX_PROGRAM_SIZE : 1;
    if (room.left < 0) {
      const message = `all patterns together compile to more than ${MAX_ALL_PROGRAMS} steps`;
      return [
        { code: 'pattern_too_large', message, path, help: 'repeat less, or name tools by globs with `*`' },
      ];
    }
    if (result.ok) {
      room.seen.add(name);
      return [];
    }
    const message = result.code === 'empty_pattern' ? result.why : `${kind} ${quoted(value)}: ${result.why}`;
    return [{ code: result.code, message, path, help: PATTERN_HELP[kind] }];
  });
}

function rangeMistakes(range: Part): readonly Finding[] {
  const min = partAt(range, 'min')?.value;
  const max = partAt(range, 'max')?.value;
  if (typeof min !== 'number' || typeof max !== 'number' || min <= max) return [];
  const message = `\`min\` ${min} is greater than \`max\` ${max}`;
  return [{ code: 'range_inverted', message, path: range.path, help: 'exchange the two' }];
}

function emptyMapping(part: Part | undefined): readonly Finding[] {
  if (part === undefined || children(part).length > 0) return [];
  const message = `${quoted(String(part.path.at(-1)))} names nothing to match`;
  return [{ code: 'empty_match', message, path: part.path, help: 'leave it out to match everything' }];
}

function emptyLists(parts: readonly Part[]): readonly Finding[] {
  return parts.flatMap(({ value, path }) => {
    if (!Array.isArray(value) || value.length > 0) return [];
    const message = `the list ${quoted(String(path.at(-1)))} is empty, so that it would match nothing`;
    return [{ code: 'empty_list', message, path, help: 'name at least one value, or leave the list out' }];
  });
}

function repeatedIds(rules: readonly Part[]): readonly Finding[] {
  const seen = new Set<string>();
  return rules.flatMap((rule) => {
    const id = partAt(rule, 'rule_id');
    if (typeof id?.value !== 'string') return [];
    if (!seen.has(id.value)) {
      seen.add(id.value);
      return [];
    }
    const message = `the rule_id ${quoted(id.value)} is used by a rule above`;
    return [{ code: 'duplicate_rule_id', message, path: id.path, help: 'give each rule an id of its own' }];
  });
}
