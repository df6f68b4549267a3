import type { JSX } from 'preact';
import type { Health } from '../../../src/protocol/index.js';
import { Command } from '../../parts/command.js';
import { countText, plural } from '../../parts/figures.js';
import { plainText } from '../../parts/plain-text.js';
import type { Page } from '../../state/page.js';

const WAYS = ['hooks', 'servers', 'worlds', 'net'] as const;

/** By which ways runs reached the gateway, and what goes past it as far as that can be known. */
export function CoverageOf({ page, health }: { readonly page: Page; readonly health: Health }): JSX.Element {
  const { runs, clients, is_whole: isWhole } = health.coverage;
  return (
    <section>
      <h2>What may pass unseen</h2>
      {runs === 0 ? (
        <p>No run has begun yet: nothing was seen of any client.</p>
      ) : (
        <>
          <p>
            Of the newest {plural(runs, 'run')}, so many were seen by each way. A run that is not counted did
            nothing by that way, or went past it: the record cannot tell which.
          </p>
          <div class="wide-table" tabIndex={0} role="group" aria-label="Ways of runs">
            <table>
              <thead>
                <tr>
                  <th scope="col">Client</th>
                  {['Runs', 'Hooks', 'Servers', 'Worlds', 'Network'].map((word) => (
                    <th key={word} scope="col" class="number">
                      {word}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {clients.map((one) => (
                  <tr key={one.client}>
                    <th scope="row">{plainText(one.client, 60)}</th>
                    <td class="number data">{countText(one.runs)}</td>
                    {WAYS.map((way) => (
                      <td key={way} class="number data">
                        {countText(one[way])}
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          {isWhole ? null : <p class="quiet">Not all entries were looked at: there may be more.</p>}
        </>
      )}
      {health.around.map((says) => (
        <p key={says}>{plainText(says)}</p>
      ))}
      <p class="quiet">Files of clients are not read here. Which of their servers and hooks are behind it:</p>
      <Command text={page.command('sub doctor')} copy={page.copy} />
    </section>
  );
}
