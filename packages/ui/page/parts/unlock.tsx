import { useEffect, useRef, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { API } from '../../src/protocol/index.js';
import type { Page } from '../state/page.js';
import { asRefused, type Refused } from '../wire/api.js';
import { Command } from './command.js';
import { Problem } from './problem.js';

const DIGITS = 6;

/**
 * The field for the code that a terminal prints: what widens is asked for there once, and then passes for a
 * while. It stands where the yes was given, and goes on with it.
 */
export function Unlock({
  page,
  what,
  then,
  cancel,
}: {
  readonly page: Page;
  /** The yes, in the words of its button. */
  readonly what: string;
  readonly then: () => void;
  readonly cancel: () => void;
}): JSX.Element {
  const [typed, setTyped] = useState('');
  const code = typed.replaceAll(/\s/g, '');
  const [problem, setProblem] = useState<Refused | null>(null);
  // Once it is let go of, an answer that comes late says yes to nothing.
  const isGone = useRef(false);
  useEffect(
    () => () => {
      isGone.current = true;
    },
    [],
  );
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    try {
      await page.unlock(code);
      if (!isGone.current) then();
    } catch (error) {
      setProblem(asRefused(error));
    }
  };
  return (
    <form
      class="unlock"
      onSubmit={(event) => void submit(event)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        cancel();
      }}
    >
      <span>
        <strong>{what}</strong> allows more, so a terminal has to agree. Run there
      </span>
      <Command text={page.command('sub ui unlock')} copy={page.copy} />
      <label>
        and type its six digits:{' '}
        <input
          autoFocus
          inputMode="numeric"
          autocomplete="one-time-code"
          maxLength={12}
          aria-label="Code that `sub ui unlock` printed"
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="main" disabled={code.length !== DIGITS}>
        Unlock and go on
      </button>
      <button type="button" onClick={cancel}>
        Cancel
      </button>
      {problem === null ? null : <Problem refused={problem} />}
    </form>
  );
}

/** That the lock is open, and the button that closes it: below the view, which stays in its place. */
export function Unlocked({ page }: { readonly page: Page }): JSX.Element | null {
  const until = page.state.value?.unlocked_until ?? null;
  if (until === null || until <= page.now()) return null;
  return (
    <div class="notice" role="status">
      <span>Unlocked until {page.clock.value.time(until).slice(0, 5)}: buttons here may allow more.</span>
      <button
        type="button"
        onClick={() =>
          void page.api.post(API.lock, {}).then(
            () => page.say('locked'),
            (error: unknown) => page.say(String(error)),
          )
        }
      >
        Lock now
      </button>
    </div>
  );
}
