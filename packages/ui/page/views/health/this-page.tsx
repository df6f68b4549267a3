import type { JSX } from 'preact';
import { LetterKeys } from '../../keys/letter-keys.js';
import type { Page } from '../../state/page.js';
import type { Theme } from '../../theme/theme.js';

const THEMES: readonly Theme[] = ['system', 'dark', 'light'];

/** The switches of the page, where a phone finds them, too. */
export function ThisPage({ page }: { readonly page: Page }): JSX.Element {
  const { looks, keys } = page;
  return (
    <section>
      <h2>This page</h2>
      <div class="actions" role="group" aria-label="Theme">
        {THEMES.map((theme) => (
          <button
            key={theme}
            type="button"
            aria-pressed={looks.theme.value === theme}
            onClick={() => looks.setTheme(theme)}
          >
            {theme}
          </button>
        ))}
      </div>
      <p>
        <label>
          <input
            type="checkbox"
            checked={looks.utc.value}
            onChange={(event) => looks.setUtc(event.currentTarget.checked)}
          />{' '}
          Times in UTC
        </label>
      </p>
      <p>
        <LetterKeys keys={keys} />
      </p>
      <p class="actions">
        <button type="button" onClick={() => (page.dialog.value = { kind: 'panic' })}>
          Stop everything
        </button>
        <button type="button" onClick={() => (page.dialog.value = { kind: 'keys' })}>
          Keys
        </button>
        <button type="button" onClick={() => void page.leave()}>
          End this session
        </button>
      </p>
    </section>
  );
}
