import { signal, type ReadonlySignal } from '@preact/signals';

/** Follows the system, or is always the one. */
export type Theme = 'system' | 'dark' | 'light';

/** The choices of a person for their eyes, kept by the browser. */
export interface Looks {
  readonly theme: ReadonlySignal<Theme>;
  readonly utc: ReadonlySignal<boolean>;
  setTheme(theme: Theme): void;
  setUtc(on: boolean): void;
}

/** Reads what was chosen before, and writes the choice of the theme to the root element. */
export function looksOf(storage: Storage, root: HTMLElement): Looks {
  const stored = storage.getItem('subl.theme');
  const theme = signal<Theme>(stored === 'dark' || stored === 'light' ? stored : 'system');
  const utc = signal(storage.getItem('subl.utc') === 'on');
  root.dataset['theme'] = theme.value;
  return {
    theme,
    utc,
    setTheme(chosen) {
      theme.value = chosen;
      root.dataset['theme'] = chosen;
      storage.setItem('subl.theme', chosen);
    },
    setUtc(on) {
      utc.value = on;
      storage.setItem('subl.utc', on ? 'on' : 'off');
    },
  };
}
