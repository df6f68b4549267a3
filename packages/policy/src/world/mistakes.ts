import { readHost } from '@subluminal/core-types';
import { children, listAt, mapAt, type Part, partAt } from '../lint/parts.js';
import { compilePathGlob } from '../pattern/path-glob.js';
import { type Finding, quoted } from '../problem/problem.js';
import type { Tree } from '../source/tree.js';
import { isTooWide, readHiddenPath, readShownPath, type WorldPathReading } from './paths.js';

type PatternCheck = (list: Part | undefined, kind: 'glob' | 'regex') => readonly Finding[];

const SHOWN_HELP = 'write one path: `/srv/data`, `~/.npm`, `$PROJECT/cache`';
const HIDDEN_HELP = 'write one path of the project: `.env`, `config/keys`';

/** Mistakes in the settings of worlds that the schema cannot see. Works on any tree. */
export function findWorldMistakes(tree: Tree, patterns: PatternCheck): readonly Finding[] {
  const world = mapAt({ value: tree, path: [] }, 'world');
  if (world === undefined) return [];
  const profiles = children(listAt(world, 'profiles'));
  return [
    ...[world, ...profiles].flatMap((part) => [
      ...settingMistakes(part),
      ...patterns(listAt(mapAt(part, 'commands'), 'isolated'), 'glob'),
    ]),
    ...profiles.flatMap((profile) => [
      ...matchMistakes(profile),
      ...patterns(listAt(profile, 'server'), 'glob'),
    ]),
    ...repeatedNames(profiles),
  ];
}

function settingMistakes(part: Part): readonly Finding[] {
  const fs = mapAt(part, 'fs');
  const write = texts(listAt(fs, 'write'));
  return [
    ...['limits', 'egress_budget', 'fs', 'commands'].flatMap((key) => emptyPart(mapAt(part, key))),
    ...texts(listAt(mapAt(part, 'net'), 'allowed')).flatMap(hostMistakes),
    ...texts(listAt(fs, 'ask')).flatMap(globMistakes),
    ...texts(listAt(fs, 'hide')).flatMap((one) => pathMistakes(one, readHiddenPath, HIDDEN_HELP)),
    ...[...texts(listAt(fs, 'read')), ...write].flatMap((one) =>
      pathMistakes(one, readShownPath, SHOWN_HELP),
    ),
    ...write.flatMap(wideMistakes),
  ];
}

function matchMistakes(profile: Part): readonly Finding[] {
  const lists = ['server', 'folder'].flatMap((key) => listAt(profile, key) ?? []);
  const unbound: Finding = {
    code: 'empty_match',
    message: 'the profile names no world',
    path: profile.path,
    help: 'add `server` or `folder`, or write its settings beside `profiles`, for every world',
  };
  return [
    ...((partAt(profile, 'server') ?? partAt(profile, 'folder')) ? [] : [unbound]),
    ...lists.filter(({ value }) => value.length === 0).map(emptyList),
    ...texts(listAt(profile, 'folder')).flatMap(globMistakes),
  ];
}

function globMistakes({ value, path }: Part<string>): readonly Finding[] {
  const result = compilePathGlob(value);
  if (result.ok) return [];
  const help = 'a path begins with `/`, `~`, `$HOME` or a name; `**` is any folders';
  return [{ code: 'bad_path', message: `path ${quoted(value)}: ${result.why}`, path, help }];
}

function hostMistakes({ value, path }: Part<string>): readonly Finding[] {
  const reading = readHost(value);
  if (reading.ok) return [];
  const message = `host ${quoted(value)}: ${reading.why}`;
  return [{ code: 'bad_host', message, path, help: 'name each host exactly, as `api.example.com`' }];
}

function pathMistakes(
  { value, path }: Part<string>,
  read: (text: string) => WorldPathReading,
  help: string,
): readonly Finding[] {
  const reading = read(value);
  return reading.ok
    ? []
    : [{ code: 'bad_path', message: `path ${quoted(value)}: ${reading.why}`, path, help }];
}

function wideMistakes({ value, path }: Part<string>): readonly Finding[] {
  const reading = readShownPath(value);
  if (!reading.ok || !isTooWide(reading.path)) return [];
  const message = `a world that may write ${quoted(value)} confines nothing`;
  return [{ code: 'world_too_wide', message, path, help: 'name the folder that is needed, as `~/.npm`' }];
}

function repeatedNames(profiles: readonly Part[]): readonly Finding[] {
  const seen = new Set<unknown>();
  return profiles.flatMap((profile): readonly Finding[] => {
    const name = partAt(profile, 'name');
    if (typeof name?.value !== 'string') return [];
    if (!seen.has(name.value)) {
      seen.add(name.value);
      return [];
    }
    const message = `the profile name ${quoted(name.value)} is used by a profile above`;
    return [
      { code: 'duplicate_profile', message, path: name.path, help: 'give each profile a name of its own' },
    ];
  });
}

function texts(list: Part | undefined): readonly Part<string>[] {
  return children(list).flatMap(({ value, path }) => (typeof value === 'string' ? [{ value, path }] : []));
}

function emptyPart(part: Part | undefined): readonly Finding[] {
  if (part === undefined || children(part).length > 0) return [];
  const message = `${quoted(String(part.path.at(-1)))} sets nothing`;
  return [{ code: 'limit_missing', message, path: part.path, help: 'set something there, or leave it out' }];
}

function emptyList({ path }: Part): Finding {
  const message = `the list ${quoted(String(path.at(-1)))} is empty, so that it would match nothing`;
  return { code: 'empty_list', message, path, help: 'name at least one value, or leave the list out' };
}
