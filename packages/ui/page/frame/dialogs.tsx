import { useEffect, useRef, useState } from 'preact/hooks';
import type { ComponentChildren, JSX } from 'preact';
import type { Page } from '../state/page.js';
import type { View } from '../state/place.js';
import { termText } from '../filter/terms.js';
import { MarkOf } from '../parts/mark.js';
import { Problem } from '../parts/problem.js';
import { markOf } from '../parts/words.js';
import { asRefused, type Refused } from '../wire/api.js';
import { keyText } from './keyline.js';

/** The one dialog that may be open. */
export function Dialogs({ page }: { readonly page: Page }): JSX.Element | null {
  const dialog = page.dialog.value;
  if (dialog === null) return null;
  switch (dialog.kind) {
    case 'keys':
      return <KeyTable page={page} />;
    case 'goto':
      return <GoTo page={page} />;
    case 'panic':
      return <Panic page={page} />;
    case 'sure':
      return (
        <Modal page={page} title={dialog.title}>
          <p>{dialog.says}</p>
          <p class="actions">
            <button
              type="button"
              class="main"
              autoFocus
              onClick={() => {
                page.dialog.value = null;
                dialog.does();
              }}
            >
              Yes
            </button>
            <button type="button" onClick={() => (page.dialog.value = null)}>
              No
            </button>
          </p>
        </Modal>
      );
  }
}

function Modal({
  page,
  title,
  children,
}: {
  readonly page: Page;
  readonly title: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const from = document.activeElement;
    element.current?.showModal();
    return () => {
      if (from instanceof HTMLElement) from.focus();
    };
  }, []);
  return (
    <dialog ref={element} aria-label={title} onClose={() => (page.dialog.value = null)}>
      <h1>{title}</h1>
      {children}
    </dialog>
  );
}

/** One of each mark. */
const SHOWN = [
  'ALLOW',
  'BLOCK',
  'REJECT_WITH_HINT',
  'ASKED',
  'THROTTLE',
  'TERMINATE_RUN',
  'error',
  'pending',
];

const MEANINGS = [
  ['run', 'all that an agent does from the start of its client to its end'],
  ['layer', 'files that a world wrote: not in the project until you take them over'],
  ['hint', 'the words that an agent gets with a refusal: what to do instead'],
  ['hold', 'a tool that changed is refused until you take its new definition'],
] as const;

function KeyTable({ page }: { readonly page: Page }): JSX.Element {
  const { keys } = page;
  return (
    <Modal page={page} title="Keys of this view">
      <div class="cards">
        <div class="keys">
          <table>
            <tbody>
              {keys.bindings.value.map(({ keys: all, says }) => (
                <tr key={says}>
                  <th scope="row">
                    {all.map((key) => (
                      <>
                        <kbd>{keyText(key)}</kbd>{' '}
                      </>
                    ))}
                  </th>
                  <td>{says}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        <h2>Marks and words</h2>
        <p class="actions">
          {SHOWN.map((code) => (
            <MarkOf key={code} mark={markOf(code)} />
          ))}
        </p>
        <dl class="facts">
          {MEANINGS.map(([word, means]) => (
            <>
              <dt>{word}</dt>
              <dd>{means}</dd>
            </>
          ))}
        </dl>
        <p class="actions">
          <label>
            <input
              type="checkbox"
              checked={keys.letters.value}
              onChange={(event) => keys.setLetters(event.currentTarget.checked)}
            />{' '}
            Keys of one letter
          </label>
          <button type="button" autoFocus onClick={() => (page.dialog.value = null)}>
            Close
          </button>
        </p>
      </div>
    </Modal>
  );
}

const VIEWS: Readonly<Record<string, View>> = {
  live: 'live',
  runs: 'runs',
  worlds: 'worlds',
  inbox: 'inbox',
  hints: 'hints',
  policy: 'policy',
  health: 'health',
};

/** An entry, or the audit reference that begins with it. */
const ENTRY = /^(\d{1,15})(?:\.[0-9a-f]+)?$/;
/** The id of a run, or its end, as rows show it. */
const RUN = /^[0-9A-HJKMNP-TV-Z]{6,26}$/;

/** An entry by its number, a run by its id, a view by its name; anything else is a tool to filter by. */
function GoTo({ page }: { readonly page: Page }): JSX.Element {
  const [text, setText] = useState('');
  const go = (event: Event): void => {
    event.preventDefault();
    const wanted = text.trim();
    page.dialog.value = null;
    const view = Object.hasOwn(VIEWS, wanted.toLowerCase()) ? VIEWS[wanted.toLowerCase()] : undefined;
    const entry = ENTRY.exec(wanted)?.[1];
    if (wanted === '') return;
    if (view !== undefined) page.places.go({ view });
    else if (entry !== undefined) page.places.go({ view: 'record', id: entry });
    else if (RUN.test(wanted)) page.places.go({ view: 'run', id: wanted });
    else page.places.go({ view: 'live', filter: termText('tool', wanted) });
  };
  return (
    <Modal page={page} title="Go to">
      <form onSubmit={go} class="actions">
        <input
          type="text"
          autoFocus
          aria-label="Entry number, run, tool or view"
          placeholder="1711, a run, a tool, inbox"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button type="submit" class="main">
          Go
        </button>
      </form>
    </Modal>
  );
}

function Panic({ page }: { readonly page: Page }): JSX.Element {
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
        <p>Every run ends, and every call is refused, until somebody runs `sub resume` in a terminal.</p>
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
          <button type="button" onClick={() => (page.dialog.value = null)}>
            No
          </button>
        </p>
        {problem === null ? null : <Problem refused={problem} />}
      </form>
    </Modal>
  );
}
