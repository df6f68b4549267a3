import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { Copy } from '../parts/command.js';
import { Command } from '../parts/command.js';
import { Problem } from '../parts/problem.js';
import { asRefused, type Refused } from '../wire/api.js';

/** The page without a session: what to type, and a field for the code. */
export function Gate({
  why,
  copy,
  command,
  enter,
}: {
  readonly why: Refused | null;
  readonly copy: Copy;
  /** The command that prints the next address. */
  readonly command: string;
  readonly enter: (code: string) => Promise<void>;
}): JSX.Element {
  const [code, setCode] = useState('');
  const [problem, setProblem] = useState<Refused | null>(why);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    try {
      await enter(codeIn(code));
    } catch (error) {
      setProblem(asRefused(error));
    }
  };
  return (
    <main class="gate">
      <h1>This page has no session</h1>
      <p>
        A session ends after twelve hours, and with the gateway. Run this, and open the address that it
        prints:
      </p>
      <Command text={command} copy={copy} />
      <form onSubmit={(event) => void submit(event)} class="gate-form">
        <label>
          Or paste the address here
          <input
            type="text"
            autocomplete="off"
            spellcheck={false}
            value={code}
            onInput={(event) => setCode(event.currentTarget.value)}
          />
        </label>
        <p class="actions">
          <button type="submit" class="main" disabled={code.trim() === ''}>
            Enter
          </button>
        </p>
      </form>
      {problem === null ? null : <Problem refused={problem} />}
    </main>
  );
}

/** The code of an address that was pasted, or the text itself. */
function codeIn(text: string): string {
  return /#c=([^&\s]+)/.exec(text)?.[1] ?? text.trim();
}
