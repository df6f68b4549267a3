import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { Page } from '../state/page.js';
import { asRefused, type Refused } from '../wire/api.js';
import { Command } from './command.js';
import { Problem } from './problem.js';

/**
 * The field for the code that a terminal prints: what widens is asked for there once, and then passes for a
 * while. It stands where the yes was given, and goes on with it.
 */
export function Unlock({ page, then }: { readonly page: Page; readonly then: () => void }): JSX.Element {
  const [code, setCode] = useState('');
  const [problem, setProblem] = useState<Refused | null>(null);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    try {
      await page.unlock(code.trim());
      then();
    } catch (error) {
      setProblem(asRefused(error));
    }
  };
  return (
    <form class="unlock" onSubmit={(event) => void submit(event)}>
      <span>This allows more, so a terminal has to agree. Run there</span>
      <Command text={page.command('sub ui unlock')} copy={page.copy} />
      <label>
        and type its six digits:{' '}
        <input
          autoFocus
          inputMode="numeric"
          autocomplete="one-time-code"
          maxLength={12}
          aria-label="Code that `sub ui unlock` printed"
          value={code}
          onInput={(event) => setCode(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="main" disabled={code.trim() === ''}>
        Unlock and go on
      </button>
      {problem === null ? null : <Problem refused={problem} />}
    </form>
  );
}
