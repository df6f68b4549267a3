import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { termText } from '../filter/terms.js';
import type { Page } from '../state/page.js';
import { TABS } from '../state/views.js';
import { Dismiss, Modal } from './modal.js';

/** An entry, or the audit reference that begins with it. */
const ENTRY = /^(\d{1,15})(?:\.[0-9a-f]+)?$/;
/** The id of a run, or its end, as rows show it. */
const RUN = /^[0-9A-HJKMNP-TV-Z]{6,26}$/;

/** An entry by its number, a run by its id, a view by its name; anything else is a tool to filter by. */
export function GoTo({ page }: { readonly page: Page }): JSX.Element {
  const [text, setText] = useState('');
  const go = (event: Event): void => {
    event.preventDefault();
    const wanted = text.trim();
    page.dialog.value = null;
    const view = TABS.find((name) => name === wanted.toLowerCase());
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
        <Dismiss page={page} says="Cancel" />
      </form>
    </Modal>
  );
}
