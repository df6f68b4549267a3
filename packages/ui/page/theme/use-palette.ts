import { useEffect, useMemo, useState } from 'preact/hooks';
import { paletteOf, type Palette } from './palette.js';
import type { Theme } from './theme.js';

/** The colours in force, read again when the person or the system chooses others. */
export function usePalette(theme: Theme): Palette {
  const [changes, count] = useState(0);
  useEffect(() => {
    const queries = ['(prefers-color-scheme: dark)', '(forced-colors: active)'].map((one) => matchMedia(one));
    const changed = (): void => count((one) => one + 1);
    for (const query of queries) query.addEventListener('change', changed);
    return () => {
      for (const query of queries) query.removeEventListener('change', changed);
    };
  }, []);
  return useMemo(() => paletteOf(document.body), [theme, changes]);
}
