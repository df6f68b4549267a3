import type { ComponentChildren, JSX } from 'preact';
import { listAt, textAt } from '@subluminal/core-types/portable';
import { API, type RecordDetail } from '../../../src/protocol/index.js';
import { useKeys } from '../../keys/use-keys.js';
import { CopyButton } from '../../parts/command.js';
import { LineDiff } from '../../parts/diff-view.js';
import { sizeText, spanText } from '../../parts/figures.js';
import { asRead } from '../../parts/json-text.js';
import { MarkOf, rowMark } from '../../parts/mark.js';
import { nameOf, shortRun } from '../../parts/names.js';
import { EntryLink } from '../../parts/place-link.js';
import { plainText } from '../../parts/plain-text.js';
import { NotYet } from '../../parts/not-yet.js';
import type { Page } from '../../state/page.js';
import { useAnswer } from '../../state/use-answer.js';

/** Two calls beside each other, the earlier one first: what was decided, how it ended, and what differs. */
export function Versus({
  page,
  detail,
  against,
}: {
  readonly page: Page;
  readonly detail: RecordDetail;
  /** The entry of the other one. */
  readonly against: number;
}): JSX.Element {
  const answer = useAnswer(() => page.api.get<RecordDetail>(`${API.record}/${against}`), [against]);
  const { value } = answer;
  const end = (): void => page.places.amend({ against: null });
  useKeys(page.keys, [{ keys: ['Escape'], says: 'end the comparison', isCommon: true, run: end }], []);
  return (
    <article class="record versus" aria-label={`Entries ${against} and ${detail.row.seq} compared`}>
      <p class="actions">
        <button type="button" onClick={end}>
          Back to entry {detail.row.seq}
        </button>
      </p>
      {value === null ? (
        <NotYet answer={answer} says={`Reading entry ${against}`} />
      ) : (
        <Both page={page} calls={value.row.seq < detail.row.seq ? [value, detail] : [detail, value]} />
      )}
    </article>
  );
}

type Pair = readonly [RecordDetail, RecordDetail];

function Both({ page, calls }: { readonly page: Page; readonly calls: Pair }): JSX.Element {
  const line = (name: string, of: (call: RecordDetail) => ComponentChildren): JSX.Element | null => {
    const cells = calls.map(of);
    return cells.every((cell) => cell === '') ? null : (
      <tr>
        <th scope="row">{name}</th>
        {cells.map((cell, at) => (
          <td key={at}>{cell}</td>
        ))}
      </tr>
    );
  };
  return (
    <>
      <table>
        <thead>
          <tr>
            <td />
            {calls.map(({ row }) => (
              <th scope="col" key={row.seq}>
                <EntryLink page={page} seq={row.seq} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {line('Tool', ({ row }) => nameOf(row))}
          {line('Run', ({ row }) => (row.run === null ? '' : shortRun(row.run)))}
          {line('At', ({ row }) => page.clock.value.full(row.ts))}
          {line('Decision', ({ row }) => (
            <MarkOf mark={rowMark(row)} />
          ))}
          {line('Rule', ({ row }) => plainText(row.rule ?? '', 120))}
          {line('Why', ({ row }) => plainText(row.why ?? '', 600))}
          {line('Hint', ({ hint }) =>
            plainText(textAt(hint, 'hint', 'hint_text') || textAt(hint, 'hint_text'), 600),
          )}
          {line('Result', ({ row }) => (row.refused ? '' : plainText(row.status ?? 'open', 40)))}
          {line('Took', ({ row }) => (row.ms === null || row.refused ? '' : spanText(row.ms)))}
          {line('Size', ({ row }) => (row.bytes === null || row.refused ? '' : sizeText(row.bytes)))}
        </tbody>
      </table>
      <p class="actions">
        {calls.map(({ row }) => (
          <CopyButton
            key={row.seq}
            text={page.command(`sub show ${row.seq}`)}
            copy={page.copy}
            says={`Copy \`sub show ${row.seq}\``}
          />
        ))}
      </p>
      <Kept name="Arguments" slot="args_preview" calls={calls} />
      <Kept name="Result" slot="result_preview" calls={calls} />
    </>
  );
}

/** A text that both keep, line by line. */
function Kept({
  name,
  slot,
  calls,
}: {
  readonly name: string;
  readonly slot: string;
  readonly calls: Pair;
}): JSX.Element | null {
  const [before, after] = calls.map((call) => textOf(call, slot));
  if (before === undefined && after === undefined) return null;
  const isArguments = slot === 'args_preview';
  const [one, other] = calls.map(({ record }) => textAt(record, 'args_hash'));
  const isSame = isArguments && one !== '' && one === other;
  return (
    <section>
      <h2>{name}</h2>
      {before === undefined || after === undefined ? (
        <p class="quiet">Only one of them is kept.</p>
      ) : isSame ? (
        <p class="quiet">The same in both.</p>
      ) : before === after ? (
        <p class="quiet">
          {isArguments && one !== other
            ? 'They differ, and not in what is kept of them.'
            : 'What is kept of them is the same.'}
        </p>
      ) : (
        <LineDiff before={before} after={after} />
      )}
    </section>
  );
}

function textOf({ entries }: RecordDetail, slot: string): string | undefined {
  const blobs = entries.flatMap((entry) => listAt(entry, 'blobs'));
  const blob = blobs.find((one) => textAt(one, 'slot').endsWith(slot) && textAt(one, 'state') === 'present');
  return blob === undefined ? undefined : asRead(textAt(blob, 'text'));
}
