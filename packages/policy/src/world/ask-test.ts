import { SublError } from '@subluminal/core-types';
import {
  compilePathGlob,
  fitsPath,
  type PathPattern,
  type Roots,
  type SplitPath,
  splitPaths,
  type SplitRoots,
  splitRoots,
} from '../pattern/path-glob.js';

/** A path that a world has changed. */
export interface ChangedPath {
  /** Absolute, and the same as file systems read it that take several names for one. */
  readonly exact: string;
  readonly folded: string;
  /** A link: what stands at other paths may be had by names below it. */
  readonly isLink: boolean;
}

/** Gives the pattern by which a person is asked about a path; undefined: none fits. */
export type AskTest = (changed: ChangedPath) => string | undefined;

/**
 * Compiles the patterns of `fs.ask`. A path fits where it, or a folder above it, fits a pattern, in any case;
 * a link, too, where a pattern may go on below it. Throws `policy_invalid` on a bad pattern.
 */
export function askTest(sources: readonly string[], roots: Roots, folded: (name: string) => string): AskTest {
  const exactRoots = splitRoots(roots);
  const foldedRoots = splitRoots({
    home: foldedPath(roots.home, folded),
    tmp: foldedPath(roots.tmp, folded),
    project: roots.project === undefined ? undefined : foldedPath(roots.project, folded),
  });
  const patterns = sources.map((source) => {
    const exact = patternOf(source);
    return { source, exact, loose: looseOf(source) ?? exact };
  });
  return (changed) => {
    const [exact, loose] = [splitOf(changed.exact), splitOf(changed.folded)];
    return patterns.find(
      (one) =>
        fits(exact, one.exact, exactRoots, changed.isLink) ||
        fits(loose, one.loose, foldedRoots, changed.isLink),
    )?.source;
  };
}

/** An absolute path whose names are each folded. */
export function foldedPath(path: string, folded: (name: string) => string): string {
  return path.split('/').map(folded).join('/');
}

function patternOf(source: string): PathPattern {
  const result = compilePathGlob(source);
  if (!result.ok) throw new SublError('policy_invalid', result.why);
  return result.pattern;
}

const ROOT = /^(?:~|\$\{?[A-Z]+\}?)(?=\/|$)/;

/** Undefined if a pattern is none any more in lower case, as one with the class `[Z-a]`. */
function looseOf(source: string): PathPattern | undefined {
  const [root = ''] = ROOT.exec(source) ?? [];
  const rest = source.slice(root.length).normalize('NFKC').toLowerCase();
  const result = compilePathGlob(`${root}${rest}`);
  return result.ok ? result.pattern : undefined;
}

/** Letters by which a pattern's own machinery marks what only run time knows: a file may have them, too. */
const MARKS = /[\uE000-\uE002]/g;

function splitOf(path: string): SplitPath | undefined {
  return splitPaths(path.replaceAll(MARKS, '\uFFFD'))[0];
}

const AT_OR_BELOW = { isUnder: true, isSure: true };

function fits(
  path: SplitPath | undefined,
  pattern: PathPattern,
  roots: SplitRoots,
  isLink: boolean,
): boolean {
  if (path === undefined) return false;
  if (fitsPath(path, pattern, roots, AT_OR_BELOW) === true) return true;
  return isLink && mayGoOn(path, pattern, roots);
}

/**
 * Whether the pattern may fit a path below this one by more than its leading `**`: by that alone whatever
 * stands below fits by its own name, wherever a link to it stands.
 */
function mayGoOn({ names }: SplitPath, { root, segments }: PathPattern, roots: SplitRoots): boolean {
  const prefix = root === 'file system' ? [] : roots[root];
  if (prefix === undefined || !prefix.every((name, at) => names[at] === name)) return false;
  let places: ReadonlySet<number> = new Set([0]);
  for (const name of names.slice(prefix.length)) {
    const next = new Set<number>();
    for (const start of places)
      for (let at = start; at < segments.length; at += 1) {
        const segment = segments[at];
        if (segment?.isAny !== true) {
          if (segment?.test(name) === true) next.add(at + 1);
          break;
        }
        next.add(at);
      }
    places = next;
  }
  return [...places].some((place) => place > 0);
}
