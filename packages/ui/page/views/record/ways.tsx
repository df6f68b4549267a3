import type { JSX } from 'preact';
import { Command } from '../../parts/command.js';
import { plainText } from '../../parts/plain-text.js';
import type { Page } from '../../state/page.js';

/** How to let such a thing pass, each way with its command, as `sub why` tells it. */
export function Ways({
  page,
  ways,
}: {
  readonly page: Page;
  readonly ways: readonly string[];
}): JSX.Element | null {
  if (ways.length === 0) return null;
  return (
    <section>
      <h2>To let such a thing pass</h2>
      <ul class="ways">
        {ways.map((way) => (
          <Way key={way} page={page} way={way} />
        ))}
      </ul>
    </section>
  );
}

/**
 * The first command can be copied, and no later one: a name behind it may be that of a folder, and so an
 * agent's.
 */
function Way({ page, way }: { readonly page: Page; readonly way: string }): JSX.Element {
  const [before = '', command, ...rest] = way.split('`');
  return (
    <li>
      {plainText(before, before.length)}
      {command === undefined ? null : <Command text={page.command(command)} copy={page.copy} />}
      {rest.map((piece, at) =>
        at % 2 === 0 ? (
          plainText(piece, piece.length)
        ) : (
          <code key={at}>{plainText(piece, piece.length)}</code>
        ),
      )}
    </li>
  );
}
