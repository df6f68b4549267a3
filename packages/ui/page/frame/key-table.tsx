import type { JSX } from 'preact';
import { LetterKeys } from '../keys/letter-keys.js';
import type { Page } from '../state/page.js';
import { keyText } from './keyline.js';
import { Legend } from './legend.js';
import { Dismiss, Modal } from './modal.js';

/** The help: all keys that do something now, and the legend of marks. */
export function KeyTable({ page }: { readonly page: Page }): JSX.Element {
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
        <Legend />
        <p class="actions">
          <LetterKeys keys={keys} />
          <Dismiss page={page} says="Close" isFirst />
        </p>
      </div>
    </Modal>
  );
}
