import { HOLE, type PathReading, type Readings } from '@subluminal/readings/facts';
import {
  compilePathGlob,
  fitsPath,
  isAboveIt,
  type Fit,
  type PathPattern,
  type SplitPath,
  type SplitRoots,
} from '../pattern/path-glob.js';
import type { PlainPath } from '../snapshot/plain-objects.js';
import { SublError } from '@subluminal/core-types';
import type { Condition, Match } from './condition.js';
import { isCodeKnown } from './known.js';
import { Prepared, type PreparedForm, type PreparedPath } from './prepared.js';
import { overAll, type Quantity } from './quantity.js';

/**
 * The meaning of `outside: $PROJECT` in a run without a project: a file is outside for a rule that asks, and
 * inside for every other, which so never holds by it.
 */
export type WithoutProject = 'inside' | 'outside';

/**
 * The condition on the files that a call names: a file has to fit all of its parts. For a deny and for limits
 * one such file is enough, in any of its forms; for an allow every file has to fit, in each form.
 */
export function pathCondition(
  path: PlainPath,
  quantity: Quantity,
  prepared: Prepared,
  withoutProject: WithoutProject,
): Condition {
  const fitsOne = preparedTest(path, quantity, withoutProject);
  return {
    field: 'path',
    test: ({ call }) => {
      const { readings } = call;
      if (readings === undefined) return 'unknown';
      const roots = prepared.of(readings).roots(readings);
      const found = overAll(prepared.paths(readings), quantity, (one) => fitsOne(one, roots));
      if (quantity === 'every' && found === 'yes' && !isCodeKnown(readings)) return 'unknown';
      // A file that was not read may be any: it is refused, and not allowed.
      const isCertain = quantity === 'every' ? 'no' : 'yes';
      return readings.unread.path === null || found === isCertain ? found : 'unknown';
    },
  };
}

/** Whether one file of a call fits. */
export function pathTest(
  path: PlainPath,
  quantity: Quantity,
): (one: PathReading, readings: Readings) => Match {
  const fits = preparedTest(path, quantity);
  const prepared = new Prepared();
  return ({ forms, ...one }, readings) =>
    fits(
      { ...one, forms: forms.map((form) => prepared.of(readings).form(form)) },
      prepared.of(readings).roots(readings),
    );
}

/** The same of one that is prepared. */
export function preparedTest(
  path: PlainPath,
  quantity: Quantity,
  withoutProject: WithoutProject = 'inside',
): (one: PreparedPath, roots: SplitRoots) => Match {
  const [under, glob, outside] = [path.under, path.glob, path.outside].map((list) => list?.map(compiled));
  const parts = { under, glob, outside, withoutProject };
  const { access } = path;
  return (one, roots) => {
    if (access !== undefined && !access.includes(one.access)) return 'no';
    const isAbove = quantity === 'some' && one.is_recursive;
    const [form] = one.forms;
    if (form !== undefined && one.forms.length === 1) return formFits(form, parts, roots, quantity, isAbove);
    return overAll(one.forms, quantity, (other) => formFits(other, parts, roots, quantity, isAbove));
  };
}

interface Parts {
  readonly under: readonly PathPattern[] | undefined;
  readonly glob: readonly PathPattern[] | undefined;
  readonly outside: readonly PathPattern[] | undefined;
  readonly withoutProject: WithoutProject;
}

const MAYBE: Fit = { isUnder: false, isSure: false };
const SURELY: Fit = { isUnder: false, isSure: true };
const UNDER: Fit = { isUnder: true, isSure: false };
const SURELY_UNDER: Fit = { isUnder: true, isSure: true };

function formFits(
  { exact, loose }: PreparedForm,
  { under, glob, outside, withoutProject }: Parts,
  roots: SplitRoots,
  quantity: Quantity,
  isAbove: boolean,
): Match {
  const isEvery = quantity === 'every';
  const paths = isEvery ? exact : loose;
  const [path] = paths;
  if (path === undefined) return isEvery ? 'unknown' : 'no';
  const above = isAbove ? path : undefined;
  if (under !== undefined && !isIn(under, paths, roots, isEvery ? SURELY_UNDER : UNDER, above)) return 'no';
  if (glob !== undefined && !isIn(glob, paths, roots, isEvery ? SURELY : MAYBE, above)) return 'no';
  if (outside !== undefined) {
    const isUnknown = roots.project === undefined && outside.some(({ root }) => root === 'project');
    if (isUnknown && withoutProject === 'inside') return 'no';
    const folders = path.isMarked ? paths.map(knownFolder) : paths;
    if (isIn(outside, folders, roots, isEvery ? UNDER : SURELY_UNDER, undefined)) return 'no';
  }
  return isEvery && path.names.some((name) => name.includes(HOLE)) ? 'unknown' : 'yes';
}

/** Whether a pattern of some fits one of these readings of a path, or is below `above`. */
function isIn(
  patterns: readonly PathPattern[],
  paths: readonly SplitPath[],
  roots: SplitRoots,
  fit: Fit,
  above: SplitPath | undefined,
): boolean {
  for (const pattern of patterns) {
    if (above !== undefined && isAboveIt(above, pattern, roots)) return true;
    for (const path of paths) if (fitsPath(path, pattern, roots, fit) === true) return true;
  }
  return false;
}

/** The folder of a name that only run time knows decides; a name behind it may lead anywhere. */
function knownFolder(path: SplitPath): SplitPath {
  const at = path.names.findIndex((name) => name.includes(HOLE));
  return at === -1 ? path : { ...path, names: path.names.slice(0, at) };
}

function compiled(source: string): PathPattern {
  const result = compilePathGlob(source);
  if (!result.ok) throw new SublError('policy_invalid', result.why);
  return result.pattern;
}
