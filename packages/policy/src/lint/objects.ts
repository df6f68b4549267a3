import { compilePathGlob } from '../pattern/path-glob.js';
import { type Finding, quoted } from '../problem/problem.js';
import type { Tree } from '../source/tree.js';
import { children, listAt, mapAt, partAt, type Part, rulesOf } from './parts.js';

const PATH_HELP = 'a path begins with `/`, `~`, `$HOME`, `$PROJECT`, `$TMP` or a name; `**` is any folders';
const PATH_LISTS = ['under', 'glob', 'outside'] as const;
const SETS_HELP = 'name it under `sets`, or write the values out';

/** Looks at the patterns of a list; it knows how much they may compile to in all. */
type PatternCheck = (list: Part | undefined, kind: 'glob' | 'regex') => readonly Finding[];

/**
 * Mistakes in the matches on paths, commands, hosts, statements and texts that the schema cannot see:
 * patterns, empty parts, sets that do not exist.
 */
export function findObjectMistakes(tree: Tree, patterns: PatternCheck): readonly Finding[] {
  const sets = mapAt({ value: tree, path: [] }, 'sets');
  return [
    ...children(sets).flatMap(emptyPart),
    ...rulesOf(tree).flatMap((rule) => matchMistakes(mapAt(rule, 'match'), sets, patterns)),
  ];
}

function matchMistakes(
  match: Part | undefined,
  sets: Part | undefined,
  patterns: PatternCheck,
): readonly Finding[] {
  const [path, command, host, sql] = ['path', 'command', 'host', 'sql'].map((key) => mapAt(match, key));
  const texts = children(listAt(mapAt(match, 'args'), 'text'));
  const paths = [path, mapAt(command, 'writes_to')];
  const parts = [...paths, command, host, sql, ...texts].filter((part) => part !== undefined);
  return [
    ...parts.flatMap(emptyPart),
    ...parts.flatMap((part) => children(part)).flatMap(emptyList),
    ...parts.flatMap((part) => unknownSets(part, sets)),
    ...paths.flatMap((part) => pathMistakes(part, sets)),
    ...[host, ...texts].flatMap((part) =>
      (['glob', 'regex'] as const).flatMap((kind) => patterns(written(listAt(part, kind), sets), kind)),
    ),
    ...['program', 'not_program', 'argv', 'not_argv'].flatMap((key) =>
      patterns(written(listAt(command, key), sets), 'glob'),
    ),
    ...patterns(written(listAt(host, 'not_glob'), sets), 'glob'),
    ...patterns(written(listAt(sql, 'verbs'), sets), 'glob'),
    ...texts.flatMap(withoutPattern),
    ...[command, sql].flatMap(notAlone),
  ];
}

/** The values of a list, those of the sets that it names among them. */
function valuesOf(list: Part | undefined, sets: Part | undefined): readonly Part[] {
  return children(list).flatMap((one) => {
    const named =
      typeof one.value === 'string' && one.value.startsWith('@')
        ? listAt(sets, one.value.slice(1))
        : undefined;
    return named === undefined ? [one] : children(named);
  });
}

/** A list with its sets written out. A mistake in a set is told where the list names it. */
function written(list: Part | undefined, sets: Part | undefined): Part | undefined {
  return list === undefined
    ? undefined
    : { value: valuesOf(list, sets).map(({ value }) => value), path: list.path };
}

function pathMistakes(part: Part | undefined, sets: Part | undefined): readonly Finding[] {
  return PATH_LISTS.flatMap((key) => valuesOf(listAt(part, key), sets)).flatMap(
    ({ value, path }): readonly Finding[] => {
      if (typeof value !== 'string' || value.startsWith('@')) return [];
      const result = compilePathGlob(value);
      if (result.ok) return [];
      return [{ code: 'bad_path', message: `path ${quoted(value)}: ${result.why}`, path, help: PATH_HELP }];
    },
  );
}

function unknownSets(part: Part, sets: Part | undefined): readonly Finding[] {
  return children(part)
    .flatMap((list) => children(list))
    .flatMap(({ value, path }): readonly Finding[] => {
      if (typeof value !== 'string' || !value.startsWith('@') || listAt(sets, value.slice(1)) !== undefined)
        return [];
      return [
        {
          code: 'unknown_set',
          message: `${quoted(value)} names no set of the policy`,
          path,
          help: SETS_HELP,
        },
      ];
    });
}

/** `unparsed` is on a text as a whole: beside a part of a command it would never hold. */
function notAlone(part: Part | undefined): readonly Finding[] {
  if (part === undefined || partAt(part, 'unparsed') === undefined || children(part).length === 1) return [];
  const message = '`unparsed` is on the text as a whole, and stands alone';
  return [{ code: 'unparsed_alone', message, path: part.path, help: 'give it a rule of its own' }];
}

function withoutPattern(text: Part): readonly Finding[] {
  if (['glob', 'regex', 'contains'].some((key) => partAt(text, key) !== undefined)) return [];
  const message = 'it names a place in the arguments, and nothing to look for there';
  return [{ code: 'empty_match', message, path: text.path, help: 'add `glob`, `regex` or `contains`' }];
}

function emptyPart(part: Part): readonly Finding[] {
  if (children(part).length > 0) return [];
  const message = `${quoted(String(part.path.at(-1)))} names nothing to match`;
  return [{ code: 'empty_match', message, path: part.path, help: 'leave it out to match everything' }];
}

function emptyList({ value, path }: Part): readonly Finding[] {
  if (!Array.isArray(value) || value.length > 0) return [];
  const message = `the list ${quoted(String(path.at(-1)))} is empty, so that it would match nothing`;
  return [{ code: 'empty_list', message, path, help: 'name at least one value, or leave the list out' }];
}
