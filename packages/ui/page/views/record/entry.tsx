import type { JSX } from 'preact';
import { textAt, type JsonValue } from '@subluminal/core-types/portable';
import { API, type RawPage } from '../../../src/protocol/index.js';
import { CopyButton } from '../../parts/command.js';
import { asRead } from '../../parts/json-text.js';
import { plainText } from '../../parts/plain-text.js';
import { NotYet } from '../../parts/not-yet.js';
import type { Page } from '../../state/page.js';
import { useAnswer } from '../../state/use-answer.js';
import { Checked } from './checked.js';

/** An entry that is no part of a call, an action or a connection: as the ledger has it. */
export function EntryPane({
  page,
  seq,
  close,
}: {
  readonly page: Page;
  readonly seq: number;
  readonly close: (() => void) | null;
}): JSX.Element {
  const answer = useAnswer(() => page.api.get<RawPage>(API.raw, { from: seq, to: seq }), [seq]);
  const entry = answer.value?.entries[0];
  if (entry?.seq !== seq)
    return (
      <div class="record">
        <NotYet
          answer={answer}
          says={answer.value?.entries.length === 0 ? `There is no entry ${seq}` : `Reading entry ${seq}`}
        />
      </div>
    );
  return (
    <article class="record" aria-label={`Record ${seq}`}>
      <header>
        <div class="line">
          <h1 class="data">{plainText(typeOf(entry.body) || 'entry', 80)}</h1>
          {close === null ? null : (
            <button type="button" class="bare close" onClick={close}>
              Close
            </button>
          )}
        </div>
        <div class="line quiet">
          <span>
            entry <span class="data">{seq}</span>
          </span>
          <Checked page={page} shown={[{ seq, entry: entry.body }]} />
        </div>
      </header>
      <p class="actions">
        <CopyButton text={page.command(`sub show ${seq}`)} copy={page.copy} />
      </p>
      <pre class="said" tabIndex={0}>
        {asRead(entry.body)}
      </pre>
    </article>
  );
}

function typeOf(text: string): string {
  try {
    const body: JsonValue = JSON.parse(text);
    return textAt(body, 'type');
  } catch {
    return '';
  }
}
