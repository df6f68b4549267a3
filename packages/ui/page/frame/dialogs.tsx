import type { JSX } from 'preact';
import type { Page } from '../state/page.js';
import { GoTo } from './go-to.js';
import { KeyTable } from './key-table.js';
import { Dismiss, Modal } from './modal.js';
import { Panic } from './panic.js';

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
            <Dismiss page={page} says="No" />
          </p>
        </Modal>
      );
  }
}
