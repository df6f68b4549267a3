import type { Tone } from './style.js';

const TONES: ReadonlyMap<string, Tone> = new Map([
  ['ok', 'good'],
  ['allowed', 'good'],
  ['succeeded', 'good'],
  ['refused', 'bad'],
  ['hinted', 'bad'],
  ['ended', 'bad'],
  ['failed', 'bad'],
  ['timeout', 'bad'],
]);

/** How a word for an outcome stands out: all others are worth a look. */
export function toneOf(word: string): Tone {
  return TONES.get(word) ?? 'warn';
}
