/** How a piece of text stands out. */
export type Tone = 'plain' | 'bold' | 'dim' | 'good' | 'warn' | 'bad';

const SGR: Readonly<Record<Tone, string>> = {
  plain: '',
  bold: '\u001b[1m',
  dim: '\u001b[2m',
  good: '\u001b[32m',
  warn: '\u001b[33m',
  bad: '\u001b[31m',
};

/** Paints text, or leaves it as it is. */
export type Paint = (tone: Tone, text: string) => string;

/**
 * The place that lines are laid out for: how text stands out, and how many columns there are (infinite off a
 * terminal).
 */
export interface Surface {
  readonly paint: Paint;
  readonly width: number;
}

/** A `Paint` that uses colours only when told to. */
export function painter(colour: boolean): Paint {
  return (tone, text) => (colour && tone !== 'plain' && text !== '' ? `${SGR[tone]}${text}\u001b[0m` : text);
}

/** Colour is for a terminal that did not ask to be spared (https://no-color.org: present and not empty). */
export function wantsColour(
  isTty: boolean,
  environment: { readonly noColor: boolean; readonly term: string },
): boolean {
  return isTty && !environment.noColor && environment.term !== 'dumb';
}

const TONES: ReadonlyMap<string, Tone> = new Map([
  ['ok', 'good'],
  ['allowed', 'good'],
  ['succeeded', 'good'],
  ['resumed', 'good'],
  ['refused', 'bad'],
  ['hinted', 'bad'],
  ['ended', 'bad'],
  ['stopped', 'bad'],
  ['failed', 'bad'],
  ['timeout', 'bad'],
]);

/** How a word for an outcome stands out: all others are worth a look. */
export function toneOf(word: string): Tone {
  return TONES.get(word) ?? 'warn';
}
