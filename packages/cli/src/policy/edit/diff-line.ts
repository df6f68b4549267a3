import { escapeText } from '../../output/escape.js';
import type { Paint } from '../../output/style.js';

/** A line of a difference, by what becomes of it. */
export function paintDiff(line: string, paint: Paint): string {
  const tone = line.startsWith('+') ? 'good' : line.startsWith('-') ? 'bad' : 'plain';
  return paint(line.startsWith('@') ? 'dim' : tone, escapeText(line));
}
