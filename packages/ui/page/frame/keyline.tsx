import type { JSX } from 'preact';
import type { Page } from '../state/page.js';
import type { Theme } from '../theme/theme.js';

const NEXT: Readonly<Record<Theme, Theme>> = { system: 'dark', dark: 'light', light: 'system' };

/** The keys of this view that are used most, and the switches of the page. */
export function Keyline({ page }: { readonly page: Page }): JSX.Element {
  const { keys, looks } = page;
  const common = keys.bindings.value.filter((binding) => binding.isCommon === true).slice(0, 9);
  return (
    <footer class="keyline">
      {common.map(({ keys: [key = ''], says }) => (
        <span key={says}>
          <kbd>{keyText(key)}</kbd> {says}
        </span>
      ))}
      <strong aria-hidden="true">{page.said.value}</strong>
      <span class="end">
        <button type="button" class="bare" onClick={() => looks.setUtc(!looks.utc.value)}>
          {looks.utc.value ? 'Time: UTC' : 'Time: local'}
        </button>
        <button type="button" class="bare" onClick={() => looks.setTheme(NEXT[looks.theme.value])}>
          Theme: {looks.theme.value}
        </button>
        <button type="button" class="bare" onClick={() => (page.dialog.value = { kind: 'panic' })}>
          Stop everything
        </button>
        <button type="button" class="bare" onClick={() => (page.dialog.value = { kind: 'keys' })}>
          Keys
        </button>
      </span>
    </footer>
  );
}

/** A key as it is written on the keyboard. */
export function keyText(key: string): string {
  return key === ' '
    ? 'Space'
    : key.replace('ArrowUp', '↑').replace('ArrowDown', '↓').replace('Escape', 'Esc');
}
