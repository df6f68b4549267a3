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

/** A pattern of paths, compiled. */
export interface PathPattern {
  readonly root: Root;
  readonly segments: readonly Segment[];
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
  return { ok: true, normal: isRooted ? normal : normal.slice(1), pattern: { root, segments } };
}

const ANY: Segment = { isAny: true, source: '**', test: () => true, isText: false, alternatives: undefined };

/** A path of a call, in segments, with marks for text that only run time knows. */
export type PathSegments = readonly string[];

/** Splits an absolute path; undefined for one that is wholly unknown. */
export function segmentsOf(path: string): PathSegments | undefined {
  return path.startsWith('/') ? path.split('/').filter((name) => name !== '') : undefined;
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
  path: PathSegments,
  { root, segments }: PathPattern,
  roots: Roots,
  fit: Fit,
): boolean | undefined {
  const start = root === 'file system' ? '/' : roots[root];
  if (start === undefined) return undefined;
  const prefix = segmentsOf(start) ?? [];
  if (prefix.length > path.length) return false;
  if (!prefix.every((name, at) => path[at] === name || (!fit.isSure && nameFits(path[at] ?? '', name))))
    return false;
  return walk(path, prefix.length, segments, fit);
}

/**
 * Whether a folder holds what a pattern names, for one that is taken with all that is in it. A pattern that
 * is looked for in every folder counts for none: it would be in each.
 */
export function isAboveIt(path: PathSegments, { root, segments }: PathPattern, roots: Roots): boolean {
  const start = root === 'file system' ? '/' : roots[root];
  if (start === undefined) return false;
  const known = segments.findIndex(({ isText }) => !isText);
  const names = [
    ...(segmentsOf(start) ?? []),
    ...(known === -1 ? segments : segments.slice(0, known)).map(({ source }) => source),
  ];
  return names.length > path.length && path.every((name, at) => name === names[at]);
}

/** Two pointers and the place of the last `**`: no step is taken back further than that. */
function walk(path: PathSegments, from: number, segments: readonly Segment[], fit: Fit): boolean {
  let [at, next] = [from, 0];
  let [anyAt, anyNext] = [-1, -1];
  for (;;) {
    const segment = segments[next];
    if (segment === undefined && (fit.isUnder || at === path.length)) return true;
    if (segment?.isAny === true) {
      [anyAt, anyNext] = [at, next];
      next += 1;
      continue;
    }
    if (segment !== undefined && at < path.length && segmentFits(path[at] ?? '', segment, fit.isSure)) {
      at += 1;
      next += 1;
      continue;
    }
    if (anyNext === -1 || anyAt >= path.length) return false;
    anyAt += 1;
    at = anyAt;
    next = anyNext + 1;
  }
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
