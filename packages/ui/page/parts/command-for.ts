import { shellWord } from '@subluminal/core-types/portable';
import type { State } from '../../src/protocol/index.js';

/** A command of `sub` that reaches the gateway of that state: a home that is not the default one is named. */
export function commandFor(state: Pick<State, 'home' | 'is_default_home'> | null, text: string): string {
  if (state === null || state.is_default_home) return text;
  const named = `--home ${shellWord(state.home)}`;
  const end = text.indexOf(' -- ');
  return end === -1 ? `${text} ${named}` : `${text.slice(0, end)} ${named}${text.slice(end)}`;
}
