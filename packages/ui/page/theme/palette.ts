import type { Meaning } from '../parts/words.js';

/** Colours of the theme in force, for a canvas, as CSS computed them. */
export interface Palette {
  readonly text: string;
  readonly quiet: string;
  readonly line: string;
  /** Routine: what is there, and asks for no eye. */
  readonly routine: string;
  readonly surface: string;
  readonly raised: string;
  readonly focus: string;
  readonly of: Readonly<Record<Meaning, string>>;
}

/** Reads the colours off an element whose `color` is each of them in turn: a canvas knows no variables. */
export function paletteOf(element: HTMLElement): Palette {
  const probe = document.createElement('span');
  probe.hidden = true;
  element.append(probe);
  const colour = (name: string): string => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const quiet = colour('quiet');
  const text = colour('text');
  const found: Palette = {
    text,
    quiet,
    line: colour('line'),
    routine: colour('routine'),
    surface: colour('surface'),
    raised: colour('raised'),
    focus: colour('focus'),
    of: {
      allow: colour('routine'),
      plain: colour('routine'),
      failed: text,
      refused: colour('refused'),
      slowed: colour('slowed'),
      hint: colour('hint'),
      waits: colour('waits'),
    },
  };
  probe.remove();
  return found;
}
