import type { RuleMatch } from '@subluminal/core-types';
import { compareCodePoints } from '@subluminal/core-types';
import type { Access } from '@subluminal/readings/facts';
import { compileGlob } from '../pattern/glob.js';
import { compilePathGlob } from '../pattern/path-glob.js';

/** The normal form of a match on files. */
export interface PlainPath {
  readonly under?: readonly string[];
  readonly glob?: readonly string[];
  readonly outside?: readonly string[];
  readonly access?: readonly Access[];
}

/** The normal form of a match on commands. */
export interface PlainCommand {
  readonly program?: readonly string[];
  readonly not_program?: readonly string[];
  readonly argv?: readonly string[];
  readonly not_argv?: readonly string[];
  readonly via?: readonly string[];
  readonly writes_to?: PlainPath;
  readonly network?: boolean;
  readonly runs_unknown?: boolean;
  readonly unknown_words?: boolean;
  readonly unparsed?: boolean;
}

/** The normal form of a match on hosts. */
export interface PlainHost {
  readonly glob?: readonly string[];
  readonly regex?: readonly string[];
  readonly not_glob?: readonly string[];
}

/** The normal form of a match on statements. */
export interface PlainSql {
  readonly verbs?: readonly string[];
  readonly without_where?: boolean;
  readonly unparsed?: boolean;
}

/** The normal form of a match on one text of the arguments. */
export interface PlainText {
  readonly at: string;
  readonly glob?: readonly string[];
  readonly regex?: readonly string[];
  readonly contains?: readonly string[];
  readonly not?: boolean;
}

/** The named lists of a policy. */
export type Sets = Readonly<Record<string, readonly string[]>>;

type Given<Key extends 'path' | 'command' | 'host' | 'sql'> = NonNullable<RuleMatch[Key]>;

/** The normal form of a match on files; sets are written out. */
export function plainPath(path: Given<'path'>, sets: Sets): PlainPath {
  return {
    ...list('under', path.under, sets, normalPath),
    ...list('glob', path.glob, sets, normalPath),
    ...list('outside', path.outside, sets, normalPath),
    ...list('access', path.access, {}, (value) => value),
  };
}

/** The normal form of a match on commands. */
export function plainCommand(command: Given<'command'>, sets: Sets): PlainCommand {
  const { network, runs_unknown, unknown_words, unparsed, writes_to } = command;
  return {
    ...list('program', command.program, sets, normalGlob),
    ...list('not_program', command.not_program, sets, normalGlob),
    ...list('argv', command.argv, sets, normalGlob),
    ...list('not_argv', command.not_argv, sets, normalGlob),
    ...list('via', command.via, sets, (value) => value),
    ...(writes_to === undefined ? {} : { writes_to: plainPath(writes_to, sets) }),
    ...(network === undefined ? {} : { network }),
    ...(runs_unknown === undefined ? {} : { runs_unknown }),
    ...(unknown_words === undefined ? {} : { unknown_words }),
    ...(unparsed === undefined ? {} : { unparsed }),
  };
}

/** The normal form of a match on hosts. */
export function plainHost(host: Given<'host'>, sets: Sets): PlainHost {
  return {
    ...list('glob', host.glob, sets, normalGlob),
    ...list('regex', host.regex, {}, (value) => value),
    ...list('not_glob', host.not_glob, sets, normalGlob),
  };
}

/** The normal form of a match on statements. */
export function plainSql({ verbs, without_where, unparsed }: Given<'sql'>, sets: Sets): PlainSql {
  return {
    ...list('verbs', verbs, sets, (verb) => normalGlob(verb.toUpperCase())),
    ...(without_where === undefined ? {} : { without_where }),
    ...(unparsed === undefined ? {} : { unparsed }),
  };
}

/** The normal form of the matches on texts. */
export function plainTexts(
  texts: NonNullable<NonNullable<RuleMatch['args']>['text']>,
  sets: Sets,
): readonly PlainText[] {
  return texts.map(({ at, glob, regex, contains, not }) => ({
    at,
    ...list('glob', glob, sets, normalGlob),
    ...list('regex', regex, {}, (value) => value),
    ...list('contains', contains, sets, (value) => value),
    ...(not === true ? { not } : {}),
  }));
}

function list<Key extends string, Value extends string>(
  key: Key,
  values: readonly Value[] | undefined,
  sets: Sets,
  normal: (value: Value) => string,
): { readonly [Name in Key]?: readonly Value[] } {
  if (values === undefined) return {};
  const all = values.flatMap(
    (value): readonly Value[] => (setOf(value, sets) as readonly Value[] | undefined) ?? [value],
  );
  const sorted = [...new Set(all.map(normal))].toSorted(compareCodePoints);
  return { [key]: sorted } as unknown as { readonly [Name in Key]?: readonly Value[] };
}

/** The values that `@name` stands for; undefined for what names no set. */
function setOf(value: string, sets: Sets): readonly string[] | undefined {
  const name = value.startsWith('@') ? value.slice(1) : undefined;
  return name !== undefined && Object.hasOwn(sets, name) ? sets[name] : undefined;
}

function normalGlob(source: string): string {
  const glob = compileGlob(source);
  return glob.ok ? glob.normal : source;
}

function normalPath(source: string): string {
  const path = compilePathGlob(source);
  return path.ok ? path.normal : source;
}
