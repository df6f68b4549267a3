import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { Problem } from '../parts/problem.js';
import type { Page } from '../state/page.js';
import { asRefused, type Refused } from '../wire/api.js';
import { Dismiss, Modal } from './modal.js';

/** Asks whether to stop everything, and for the reason that the record keeps. */
export function Panic({ page }: { readonly page: Page }): JSX.Element {
  const [reason, setReason] = useState('');
  const [problem, setProblem] = useState<Refused | null>(null);
  const stop = async (event: Event): Promise<void> => {
    event.preventDefault();
    try {
      await page.act({ act: 'panic', reason });
      page.dialog.value = null;
    } catch (error) {
      setProblem(asRefused(error));
    }
  };
  return (
    <Modal page={page} title="Stop everything?">
      <form onSubmit={(event) => void stop(event)} class="cards">
        <p>Every run ends, and every call is refused, until somebody resumes, here or by `sub resume`.</p>
        <input
          type="text"
          autoFocus
          aria-label="Why, for the record"
          placeholder="why, for the record"
          maxLength={200}
          value={reason}
          onInput={(event) => setReason(event.currentTarget.value)}
        />
        <p class="actions">
          <button type="submit" class="main">
            Stop everything
          </button>
          <Dismiss page={page} says="No" />
        </p>
        {problem === null ? null : <Problem refused={problem} />}
      </form>
    </Modal>
  );
}
