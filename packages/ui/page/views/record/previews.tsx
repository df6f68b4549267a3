import { useMemo, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { listAt, numberAt, objectAt, textAt, type JsonObject } from '@subluminal/core-types/portable';
import { CopyButton, type Copy } from '../../parts/command.js';
import { countText } from '../../parts/figures.js';
import { asRead, jsonText } from '../../parts/json-text.js';
import { plainLines, plainText } from '../../parts/plain-text.js';

/** Names of the texts that entries keep, as people say them. */
const SLOTS: readonly (readonly [string, string])[] = [
  ['args_preview', 'Arguments'],
  ['result_preview', 'Result'],
  ['error', 'Error'],
];
const STATES: Readonly<Record<string, string>> = {
  expired: 'It was kept, and has expired; its hash is still in the record.',
  missing: 'It is not there, though the record says that it was kept: `sub audit verify` says more.',
  'dropped:backpressure': 'It was dropped under load.',
  'dropped:budget': 'It was dropped: the disk budget of previews was used up.',
};

const LONG = 4096;

/** The texts that the entries of a record keep: arguments first, then what came back. */
export function Previews({
  entries,
  copy,
}: {
  readonly entries: readonly JsonObject[];
  readonly copy: Copy;
}): JSX.Element {
  const kept = entries.flatMap((entry) =>
    listAt(entry, 'blobs').map((blob) => ({
      seq: numberAt(entry, 'seq') ?? 0,
      blob: objectAt({ blob }, 'blob'),
    })),
  );
  return (
    <>
      {kept.map(({ seq, blob }) => {
        const slot = textAt(blob, 'slot');
        const state = textAt(blob, 'state');
        const text = textAt(blob, 'text');
        const name = SLOTS.find(([end]) => slot.endsWith(end))?.[1] ?? plainText(slot, 80);
        return (
          <section key={`${seq} ${slot}`}>
            <h2>{name}</h2>
            {state === 'present' ? (
              <Kept text={text} copy={copy} />
            ) : (
              <p class="quiet">{STATES[state] ?? plainText(state, 40)}</p>
            )}
          </section>
        );
      })}
    </>
  );
}

/** A text as it is kept; of a long one its beginning, until somebody asks for the rest. */
function Kept({ text, copy }: { readonly text: string; readonly copy: Copy }): JSX.Element {
  const [isWhole, setWhole] = useState(false);
  // Indented before it is cut: a piece of JSON is none.
  const read = useMemo(() => asRead(text), [text]);
  const isCut = read.length > LONG && !isWhole;
  return (
    <>
      <pre class="said" tabIndex={0}>
        {isCut ? `${read.slice(0, LONG)}…` : read}
      </pre>
      <p class="actions">
        {isCut ? (
          <>
            <span>
              The first {countText(LONG)} of {countText(read.length)} characters.
            </span>
            <button type="button" onClick={() => setWhole(true)}>
              Show all of it
            </button>
          </>
        ) : null}
        <CopyButton text={plainLines(text, text.length)} copy={copy} says="Copy" />
      </p>
    </>
  );
}

/** The entries themselves, as the ledger has them. */
export function Entries({ entries }: { readonly entries: readonly JsonObject[] }): JSX.Element {
  return (
    <details>
      <summary>
        {entries.length === 1 ? 'Its entry' : `Its ${entries.length} entries`} as the ledger has{' '}
        {entries.length === 1 ? 'it' : 'them'}
      </summary>
      <pre class="said" tabIndex={0}>
        {entries.map((entry) => jsonText(entry, 32 * 1024)).join('\n')}
      </pre>
    </details>
  );
}
