import type { Span } from './mask.js';
import { isWord, NextPlaces, RunEnds } from './runs.js';

/** How a token of a known issuer begins, and how many characters it has at least, prefix included. */
interface Shape {
  readonly prefix: string;
  readonly minLength: number;
  /** A JWT: word characters in parts that are joined by dots. */
  readonly dotted?: true;
}

const NONE: readonly Span[] = [];

const SHAPES: readonly Shape[] = [
  { prefix: 'AKIA', minLength: 20 },
  { prefix: 'ASIA', minLength: 20 },
  { prefix: 'AIza', minLength: 35 },
  { prefix: 'ghp_', minLength: 20 },
  { prefix: 'gho_', minLength: 20 },
  { prefix: 'ghu_', minLength: 20 },
  { prefix: 'ghs_', minLength: 20 },
  { prefix: 'ghr_', minLength: 20 },
  { prefix: 'github_pat_', minLength: 30 },
  { prefix: 'glpat-', minLength: 20 },
  { prefix: 'npm_', minLength: 30 },
  { prefix: 'sk-ant-', minLength: 20 },
  { prefix: 'sk-', minLength: 23 },
  { prefix: 'sk_live_', minLength: 20 },
  { prefix: 'sk_test_', minLength: 20 },
  { prefix: 'rk_live_', minLength: 20 },
  { prefix: 'rk_test_', minLength: 20 },
  { prefix: 'whsec_', minLength: 20 },
  { prefix: 'xoxa-', minLength: 15 },
  { prefix: 'xoxb-', minLength: 15 },
  { prefix: 'xoxp-', minLength: 15 },
  { prefix: 'xoxr-', minLength: 15 },
  { prefix: 'xoxs-', minLength: 15 },
  { prefix: 'hf_', minLength: 30 },
  { prefix: 'pypi-', minLength: 30 },
  { prefix: 'xapp-', minLength: 15 },
  { prefix: 'subr_', minLength: 48 },
  { prefix: 'sube_', minLength: 48 },
  { prefix: 'subp_', minLength: 48 },
  { prefix: 'dop_v1_', minLength: 30 },
  { prefix: 'shpat_', minLength: 30 },
  { prefix: 'AGE-SECRET-KEY-1', minLength: 40 },
  { prefix: 'SG.', minLength: 40, dotted: true },
  { prefix: 'ya29.', minLength: 30, dotted: true },
  { prefix: 'hvs.', minLength: 20, dotted: true },
  { prefix: 'eyJ', minLength: 30, dotted: true },
];

/**
 * Any prefix: one pass tells most texts that none of them stands there, where a search for each would be one
 * each.
 */
const ANY_PREFIX = new RegExp(SHAPES.map(({ prefix }) => prefix.replaceAll('.', '\\.')).join('|'));

/**
 * Tokens of known shapes. `cut` tells that the text goes on beyond its end: a run that reaches the end counts
 * as long enough.
 */
export function findTokens(text: string, cut: boolean): readonly Span[] {
  if (!ANY_PREFIX.test(text)) return NONE;
  return SHAPES.flatMap((shape) => findShape(text, shape, cut));
}

function findShape(text: string, shape: Shape, cut: boolean): readonly Span[] {
  const { prefix, minLength, dotted = false } = shape;
  let start = text.indexOf(prefix);
  if (start === -1) return NONE;
  const spans: Span[] = [];
  const runs = new RunEnds(text, (code) => isWord(code) || (dotted && code === 0x2e));
  const dots = new NextPlaces(text, '.');
  while (start !== -1) {
    const end = runs.endFrom(start);
    const complete = end - start >= minLength && (!dotted || dots.from(start) < end);
    if (complete || (cut && end === text.length)) {
      spans.push({ start, end });
      start = text.indexOf(prefix, end);
    } else {
      start = text.indexOf(prefix, start + 1);
    }
  }
  return spans;
}
