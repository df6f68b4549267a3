import { HOLE, type PathReading, type Readings } from '@subluminal/readings/facts';
import {
  compilePathGlob,
  fitsPath,
  segmentsOf,
  isAboveIt,
  type Fit,
  type PathPattern,
  type Roots,
} from '../pattern/path-glob.js';
import type { PlainPath } from '../snapshot/plain-objects.js';
import { SublError } from '@subluminal/core-types';
import type { Condition, Match } from './condition.js';
import { isCodeKnown } from './known.js';
import { overAll, type Quantity } from './quantity.js';

/**
 * The condition on the files that a call names: a file has to fit all of its parts. For a deny and for limits
 * one such file is enough, in any of its forms; for an allow every file has to fit, in each form.
 */
export function pathCondition(path: PlainPath, quantity: Quantity): Condition {
  const fitsOne = pathTest(path, quantity);
  return {
    field: 'path',
    test: ({ call }) => {
      const { readings } = call;
      if (readings === undefined) return 'unknown';
      const found = overAll(readings.paths, quantity, (one) => fitsOne(one, readings));
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
  const [under, glob, outside] = [path.under, path.glob, path.outside].map((list) => list?.map(compiled));
  return (one, { place }) => {
    if (path.access !== undefined && !path.access.includes(one.access)) return 'no';
    const isAbove = quantity === 'some' && one.is_recursive;
    const forms = one.forms.map((form) => formFits(form, { under, glob, outside }, place, quantity, isAbove));
    if (quantity === 'every')
      return forms.every((match) => match === 'yes') ? 'yes' : forms.includes('no') ? 'no' : 'unknown';
    return forms.includes('yes') ? 'yes' : 'no';
  };
}

interface Parts {
  readonly under: readonly PathPattern[] | undefined;
  readonly glob: readonly PathPattern[] | undefined;
  readonly outside: readonly PathPattern[] | undefined;
}

function formFits(
  form: string,
  { under, glob, outside }: Parts,
  roots: Roots,
  quantity: Quantity,
  isAbove: boolean,
): Match {
  // Names differ in case on some machines and not on others: a deny holds for all of them.
  const text = quantity === 'every' ? form : form.normalize('NFC');
  const segments = segmentsOf(text);
  if (segments === undefined) return quantity === 'every' ? 'unknown' : 'no';
  const any = (patterns: readonly PathPattern[], isUnder: boolean): boolean =>
    patterns.some(
      (pattern) =>
        (isAbove && isAboveIt(segments, pattern, roots)) ||
        fits(segments, pattern, roots, { isUnder, isSure: quantity === 'every' }, quantity),
    );
  if (under !== undefined && !any(under, true)) return 'no';
  if (glob !== undefined && !any(glob, false)) return 'no';
  if (outside !== undefined) {
    if (outside.some(({ root }) => root === 'project') && roots.project === undefined) return 'no';
    // The folder of a name that only run time knows decides; a name behind it may lead anywhere.
    const away = { isUnder: true, isSure: quantity === 'some' };
    const known = segments.slice(0, segments.findIndex((name) => name.includes(HOLE)) >>> 0);
    if (
      outside.some((pattern) =>
        fits(known.length < segments.length ? known : segments, pattern, roots, away, quantity),
      )
    )
      return 'no';
  }
  return quantity === 'every' && text.includes(HOLE) ? 'unknown' : 'yes';
}

function fits(
  segments: readonly string[],
  pattern: PathPattern,
  roots: Roots,
  fit: Fit,
  quantity: Quantity,
): boolean {
  if (fitsPath(segments, pattern, roots, fit) === true) return true;
  if (quantity === 'every') return false;
  const folded = segments.map((name) => name.toLowerCase());
  return folded.some((name, at) => name !== segments[at]) && fitsPath(folded, pattern, roots, fit) === true;
}

function compiled(source: string): PathPattern {
  const result = compilePathGlob(source);
  if (!result.ok) throw new SublError('policy_invalid', result.why);
  return result.pattern;
}
