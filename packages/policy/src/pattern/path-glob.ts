import { HOLE, ONE, STAR } from '@subluminal/readings/facts';
import { compileGlob } from './glob.js';
import { type Alternatives, alternativesOf, meets } from './meet.js';
import type { NameTest } from './regex.js';

/** The folders that a pattern may begin with, by their names. */
export interface Roots {
  readonly home: string;
  readonly tmp: string;
  /** Undefined where the call has none. */
  readonly project: string | undefined;
}

type Root = 'home' | 'project' | 'tmp' | 'file system';

/** The same, split. */
export interface SplitRoots {
  readonly home: readonly string[];
  readonly tmp: readonly string[];
  readonly project: readonly string[] | undefined;
}

/** A pattern of paths, compiled. */
export interface PathPattern {
  readonly root: Root;
  readonly segments: readonly Segment[];
  /** The first and the last of them; undefined for `**`. */
  readonly first: Segment | undefined;
  readonly last: Segment | undefined;
  /** As many at its beginning are plain names. */
  readonly texts: number;
}

interface Segment {
  /** `**`: any folders, also none. */
  readonly isAny: boolean;
  readonly source: string;
  readonly test: NameTest;
  readonly isText: boolean;
  readonly alternatives: Alternatives;
}

/** The pattern, or why it cannot be read. */
export type PathPatternResult =
  | { readonly ok: true; readonly normal: string; readonly pattern: PathPattern }
  | { readonly ok: false; readonly why: string };

const ROOTS: readonly (readonly [RegExp, Root])[] = [
  [/^(?:~|\$HOME|\$\{HOME\})(?=\/|$)/, 'home'],
  [/^(?:\$PROJECT|\$\{PROJECT\})(?=\/|$)/, 'project'],
  [/^(?:\$TMP|\$\{TMP\}|\$TMPDIR)(?=\/|$)/, 'tmp'],
];
const NAMES: Readonly<Record<Root, string>> = {
  home: '$HOME',
  project: '$PROJECT',
  tmp: '$TMP',
  'file system': '',
};
const MAX_SEGMENTS = 64;

/**
 * Compiles a pattern of paths: `*`, `?`, `[a-z]` and `{a,b}` within a name, `**` for any folders. It begins
 * with `/`, `~`, `$HOME`, `$PROJECT` or `$TMP`; one that begins otherwise is looked for in every folder.
 */
export function compilePathGlob(source: string): PathPatternResult {
  if (source === '') return { ok: false, why: 'the path is empty' };
  const found = ROOTS.find(([start]) => start.test(source));
  const rest = found === undefined ? source : source.replace(found[0], '');
  if (found === undefined && source.startsWith('$'))
    return { ok: false, why: 'it begins with a variable that is not `$HOME`, `$PROJECT` or `$TMP`' };
  const isRooted = found !== undefined || rest.startsWith('/');
  const names = rest.split('/').filter((name) => name !== '' && name !== '.');
  if (names.includes('..')) return { ok: false, why: 'it has `..` in it' };
  if (names.length > MAX_SEGMENTS) return { ok: false, why: `it has more than ${MAX_SEGMENTS} names` };
  const segments: Segment[] = isRooted || names[0] === '**' ? [] : [ANY];
  for (const name of names) {
    if (name === '**') {
      if (segments.at(-1)?.isAny !== true) segments.push(ANY);
      continue;
    }
    const glob = compileGlob(name);
    if (!glob.ok) return { ok: false, why: glob.why };
    segments.push({
      isAny: false,
      source: glob.normal,
      test: glob.test,
      alternatives: alternativesOf(glob.normal),
      isText: !/[*?[\]{}\\]/.test(name),
    });
  }
  const root = found?.[1] ?? 'file system';
  const normal = `${NAMES[root]}/${segments.map(({ source: one }) => one).join('/')}`;
  return {
    ok: true,
    normal: isRooted ? normal : normal.slice(1),
    pattern: patternOf(root, segments),
  };
}

function patternOf(root: Root, segments: readonly Segment[]): PathPattern {
  const end = segments.findIndex(({ isText }) => !isText);
  const texts = end === -1 ? segments.length : end;
  return { root, segments, first: named(segments[0]), last: named(segments.at(-1)), texts };
}

function named(segment: Segment | undefined): Segment | undefined {
  return segment?.isAny === true ? undefined : segment;
}

const ANY: Segment = { isAny: true, source: '**', test: () => true, isText: false, alternatives: undefined };

/** A path of a call, name by name. */
export interface SplitPath {
  readonly names: readonly string[];
  /** It has marks for text that only run time knows. */
  readonly isMarked: boolean;
}

/** Splits an absolute path; one that is wholly unknown is none. */
export function splitPaths(path: string): readonly SplitPath[] {
  return path.startsWith('/') ? [{ names: namesOf(path), isMarked: hasMark(path) }] : [];
}

export function splitRoots({ home, tmp, project }: Roots): SplitRoots {
  return {
    home: namesOf(home),
    tmp: namesOf(tmp),
    project: project === undefined ? undefined : namesOf(project),
  };
}

function namesOf(path: string): readonly string[] {
  const names = path.slice(1).split('/');
  return names.includes('') ? names.filter((name) => name !== '') : names;
}

/**
 * How a path has to fit. `isUnder`: a path in a folder that fits does too. `isSure`: a name with text that
 * only run time knows fits nothing; else it fits where its known part does, and never by itself.
 */
export interface Fit {
  readonly isUnder: boolean;
  readonly isSure: boolean;
}

/**
 * Whether a path fits a pattern.
 *
 * @returns undefined where the pattern begins with a folder that the call does not have.
 */
export function fitsPath(
  path: SplitPath,
  { root, segments, first, last }: PathPattern,
  roots: SplitRoots,
  fit: Fit,
): boolean | undefined {
  const prefix = root === 'file system' ? NO_NAMES : roots[root];
  if (prefix === undefined) return undefined;
  const { names, isMarked } = path;
  if (prefix.length > names.length) return false;
  // Most paths are told apart by one name.
  if (first !== undefined && !fitsAt(path, prefix.length, first, fit)) return false;
  if (!fit.isUnder && last !== undefined && !fitsAt(path, names.length - 1, last, fit)) return false;
  for (let at = 0; at < prefix.length; at += 1) {
    const name = names[at] ?? '';
    const wanted = prefix[at] ?? '';
    if (name !== wanted && (!isMarked || fit.isSure || !nameFits(name, wanted))) return false;
  }
  return walk(path, prefix.length, segments, fit);
}

const NO_NAMES: readonly string[] = [];

/**
 * Whether a folder holds what a pattern names, for one that is taken with all that is in it. A pattern that
 * is looked for in every folder counts for none: it would be in each.
 */
export function isAboveIt(
  { names }: SplitPath,
  { root, segments, texts }: PathPattern,
  roots: SplitRoots,
): boolean {
  const prefix = root === 'file system' ? NO_NAMES : roots[root];
  if (prefix === undefined || names.length >= prefix.length + texts) return false;
  return names.every((name, at) => name === (prefix[at] ?? segments[at - prefix.length]?.source));
}

/** Two pointers and the place of the last `**`: no step is taken back further than that. */
function walk(path: SplitPath, from: number, segments: readonly Segment[], fit: Fit): boolean {
  const { length } = path.names;
  let at = from;
  let next = 0;
  let anyAt = -1;
  let anyNext = -1;
  for (;;) {
    const segment = segments[next];
    if (segment === undefined && (fit.isUnder || at === length)) return true;
    if (segment?.isAny === true) {
      anyAt = at;
      anyNext = next;
      next += 1;
      continue;
    }
    if (segment !== undefined && fitsAt(path, at, segment, fit)) {
      at += 1;
      next += 1;
      continue;
    }
    if (anyNext === -1 || anyAt >= length) return false;
    anyAt += 1;
    at = anyAt;
    next = anyNext + 1;
  }
}

function fitsAt({ names, isMarked }: SplitPath, at: number, segment: Segment, { isSure }: Fit): boolean {
  const name = names[at];
  return name !== undefined && (isMarked ? segmentFits(name, segment, isSure) : segment.test(name));
}

function segmentFits(
  name: string,
  { source, test, isText, alternatives }: Segment,
  isSure: boolean,
): boolean {
  if (!hasMark(name)) return test(name);
  if (isSure) return false;
  if (isText) return nameFits(name, source);
  // A name without a known letter is none in particular.
  if (ONLY_MARKS.test(name)) return source === '*';
  return meets(name, alternatives);
}

const MARK = /[\uE000-\uE002]/;
const ONLY_MARKS = /^[\uE000-\uE002]+$/;

/** Whether a name of a call, with marks, may be the name `text`. */
function nameFits(name: string, text: string): boolean {
  if (!hasMark(name)) return name === text;
  // A shell's `*` takes no name that begins with a dot, and a name that is all unknown is none in particular.
  if (name === HOLE || (name.startsWith(STAR) && text.startsWith('.'))) return false;
  let [at, to] = [0, 0];
  let [starAt, starTo] = [-1, -1];
  while (to < text.length) {
    const char = name[at];
    if (char === STAR || char === HOLE) {
      [starAt, starTo] = [at, to];
      at += 1;
    } else if (char !== undefined && (char === ONE || char === text[to])) {
      at += 1;
      to += 1;
    } else if (starAt !== -1) {
      at = starAt + 1;
      starTo += 1;
      to = starTo;
    } else return false;
  }
  while (name[at] === STAR || name[at] === HOLE) at += 1;
  return at === name.length;
}

function hasMark(name: string): boolean {
  return MARK.test(name);
}
