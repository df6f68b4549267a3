import { isUsualKey } from '@subluminal/readings/facts';
import { type Finding, quoted } from '../problem/problem.js';
import type { PlainPolicy, PlainRule, PlainToolKeys } from '../snapshot/plain.js';
import type { Tree } from '../source/tree.js';
import { looksAtObjects } from './covers.js';
import { children, listAt, mapAt, partAt, type Part } from './parts.js';

type PatternCheck = (list: Part | undefined, kind: 'glob' | 'regex') => readonly Finding[];

const KINDS = ['paths', 'commands'] as const;

/** Mistakes in the named keys of tools that the schema cannot see. */
export function findToolMistakes(tree: Tree, patterns: PatternCheck): readonly Finding[] {
  const programs = mapAt({ value: tree, path: [] }, 'programs');
  return [...(programs === undefined ? [] : effectMistakes(programs)), ...keyMistakes(tree, patterns)];
}

function effectMistakes(programs: Part): readonly Finding[] {
  const all = [programs, ...children(programs)];
  return [
    ...all.filter((part) => children(part).length === 0).map(namesNothing),
    ...children(programs)
      .flatMap((one) => children(one))
      .filter(({ value }) => Array.isArray(value) && value.length === 0)
      .map(emptyList),
  ];
}

function keyMistakes(tree: Tree, patterns: PatternCheck): readonly Finding[] {
  return children(listAt({ value: tree, path: [] }, 'tools')).flatMap((tool): readonly Finding[] => {
    const names = ['server_name', 'tool_name'].flatMap((key) => mapAt(tool, key) ?? []);
    const lists = [...KINDS.flatMap((key) => listAt(tool, key) ?? []), ...names.flatMap(children)];
    return [
      ...(KINDS.some((key) => partAt(tool, key) !== undefined) ? [] : [keyless(tool)]),
      ...names.filter((part) => children(part).length === 0).map(namesNothing),
      ...lists.filter((part) => children(part).length === 0).map(emptyList),
      ...names.flatMap((part) =>
        (['glob', 'regex'] as const).flatMap((kind) => patterns(listAt(part, kind), kind)),
      ),
    ];
  });
}

/** Keys that are named in vain: no rule looks at them, or they are read anyway. */
export function toolWarnings({ tools = [], programs, rules }: PlainPolicy): readonly Finding[] {
  const looks = {
    paths: rules.some(({ enabled, match }) => enabled && match.path !== undefined),
    commands: rules.some(({ enabled, match }: PlainRule) => enabled && looksAtObjects(match)),
  };
  const unused: Finding = {
    code: 'tools_unused',
    message: 'effects of programs are named, and no rule looks at commands or files',
    path: ['programs'],
    help: 'add a rule that does, or remove them',
  };
  return [
    ...(programs === undefined || looks.commands ? [] : [unused]),
    ...tools.flatMap((tool) =>
      KINDS.flatMap((kind) => (tool[kind] ?? []).flatMap((key) => inVain(tool, kind, key, looks[kind]))),
    ),
  ];
}

function inVain(
  { server_name }: PlainToolKeys,
  kind: (typeof KINDS)[number],
  key: string,
  isLookedAt: boolean,
): readonly Finding[] {
  const path = ['tools'];
  if (!isLookedAt) {
    const message = `${kind} are named under ${quoted(key)}, and no rule looks at ${kind === 'paths' ? 'files' : 'commands'}`;
    return [{ code: 'tools_unused', message, path, help: `add a rule that does, or remove the key` }];
  }
  // Which servers a pattern names cannot be told, and the paths of some are those of another machine.
  const servers = server_name?.regex === undefined ? (server_name?.glob ?? ['*']) : ['*'];
  if (!servers.every((server) => isUsualKey(kind, server, key))) return [];
  const message = `${quoted(key)} is one of the usual keys, and is read anyway`;
  return [{ code: 'tools_unused', message, path, help: 'remove it' }];
}

function keyless({ path }: Part): Finding {
  const message = 'it names no key';
  return { code: 'empty_match', message, path, help: 'add `paths` or `commands`' };
}

function namesNothing({ path }: Part): Finding {
  const message = `${quoted(String(path.at(-1)))} names nothing to match`;
  return { code: 'empty_match', message, path, help: 'leave it out to match everything' };
}

function emptyList({ path }: Part): Finding {
  const message = `the list ${quoted(String(path.at(-1)))} is empty, so that it would match nothing`;
  return { code: 'empty_list', message, path, help: 'name at least one value, or leave the list out' };
}
