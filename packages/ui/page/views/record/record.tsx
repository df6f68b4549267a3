import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { numberAt, objectAt, textAt, valueAt, type JsonObject } from '@subluminal/core-types/portable';
import { API, type RecordDetail } from '../../../src/protocol/index.js';
import { termText } from '../../filter/terms.js';
import { CopyButton } from '../../parts/command.js';
import { sizeText, spanText } from '../../parts/figures.js';
import { jsonText } from '../../parts/json-text.js';
import { MarkOf, rowMark } from '../../parts/mark.js';
import { endMark } from '../../parts/words.js';
import { PlaceLink } from '../../parts/place-link.js';
import { plainText } from '../../parts/plain-text.js';
import { NotYet } from '../../parts/not-yet.js';
import type { Page } from '../../state/page.js';
import type { Shown } from '../../verify/chain.js';
import { useAnswer } from '../../state/use-answer.js';
import { nameOf } from '../../parts/names.js';
import { EntryPane } from './entry.js';
import { Checked } from './checked.js';
import { LayerFacts } from './layer.js';
import { Entries, Previews } from './previews.js';
import { Promote } from './promote.js';
import { RuleFor } from './rule.js';
import { Trace } from './trace.js';
import { Versus } from './versus.js';
import { Ways } from './ways.js';
import { CompareButtons } from './compare-buttons.js';

/** One record: what was decided, why, what now; then all that is kept of it. */
export function RecordPane({
  page,
  seq,
  close,
}: {
  readonly page: Page;
  readonly seq: number;
  readonly close: (() => void) | null;
}): JSX.Element {
  // A record that goes on is read again when an entry of it comes.
  const at = page.feed.rows.indexOf(seq);
  void page.feed.version.value;
  const there = page.feed.rows.all[at];
  const last = there?.seq === seq ? there.last : seq;
  const read = useAnswer(
    async () => ({ of: seq, detail: await page.api.get<RecordDetail>(`${API.record}/${seq}`) }),
    [seq, last],
  );
  const { problem } = read;
  // The answer before this one may be about another record.
  const value = read.value?.of === seq ? read.value.detail : null;
  if (value === null && problem?.code === 'not_found')
    return <EntryPane page={page} seq={seq} close={close} />;
  if (value === null)
    return (
      <div class="record">
        <NotYet answer={read} says={`Reading entry ${seq}`} />
      </div>
    );
  const { against } = page.places.now.value;
  if (against !== null && against !== value.row.seq)
    return <Versus page={page} detail={value} against={against} />;
  return <Detail page={page} detail={value} close={close} />;
}

function Detail({
  page,
  detail,
  close,
}: {
  readonly page: Page;
  readonly detail: RecordDetail;
  readonly close: (() => void) | null;
}): JSX.Element {
  const { row, entries, flags, hint, trace, record } = detail;
  const [promoting, setPromoting] = useState<'run' | 'rule' | null>(null);
  const toggle = (way: 'run' | 'rule'): void => setPromoting(promoting === way ? null : way);
  const seqs = entries.flatMap((entry) => numberAt(entry, 'seq') ?? []);
  const name = nameOf(row);
  const failed = row.refused ? null : endMark(row.status);
  const same = (key: 'args' | 'rule' | 'tool', value: string, word: string): JSX.Element | null =>
    value === '' ? null : (
      <PlaceLink page={page} look="button" to={{ view: 'live', filter: termText(key, value), open: row.seq }}>
        Same {word}
      </PlaceLink>
    );
  const args = textAt(record, 'args_hash');
  const change = valueAt(record, 'fs_diff');
  return (
    <article class="record" aria-label={`Record ${row.seq}`}>
      <header>
        <div class="line">
          <MarkOf mark={rowMark(row)} />
          <h1 class="data">{name}</h1>
          {close === null ? null : (
            <button type="button" class="bare close" aria-label="Close" onClick={close}>
              Close
            </button>
          )}
        </div>
        {row.object === null ? null : <p class="data">{plainText(row.object, 2000)}</p>}
        <div class="line quiet">
          <span>{page.clock.value.full(row.ts)}</span>
          <span>
            entry <span class="data">{row.seq}</span>
          </span>
          {row.run === null ? null : (
            <PlaceLink page={page} look="" to={{ view: 'run', id: row.run, open: row.seq }}>
              run <span class="data">{page.agents.named(row.run)}</span>
            </PlaceLink>
          )}
          {row.who === null ? null : (
            <span>
              asked by <span class="data">{plainText(row.who, 80)}</span>
            </span>
          )}
          {row.ms === null || row.refused ? null : <span>{spanText(row.ms)}</span>}
          {row.bytes === null || row.refused ? null : <span>{sizeText(row.bytes)}</span>}
          <Checked page={page} shown={shownOf(entries)} />
        </div>
      </header>

      {row.why === null && row.rule === null ? null : (
        <section>
          <h2>
            {failed !== null ? 'What went wrong' : row.refused || row.rule === null ? 'Why' : 'Decided by'}
          </h2>
          <p>
            {row.rule === null || failed !== null || row.why?.startsWith(`${row.rule} `) ? null : (
              <>
                <span class="data">{plainText(row.rule, 120)}</span>
                {row.why === null ? '' : ': '}
              </>
            )}
            {row.why === null ? '' : plainText(row.why, 2000)}
          </p>
          {detail.ended === null ? null : <p>{plainText(detail.ended, 400)}</p>}
        </section>
      )}
      <Ways page={page} ways={detail.ways} />
      {valueAt(record, 'layer') === null ? null : (
        <LayerFacts page={page} layer={objectAt(record, 'layer')} />
      )}
      {flags.length === 0 ? null : (
        <section>
          <h2>Unusual</h2>
          <ul>
            {flags.map((flag) => (
              <li key={numberAt(flag, 'seq')}>
                <span class="data">{plainText(textAt(flag, 'kind'), 60)}</span>{' '}
                {plainText(textAt(flag, 'summary'), 400)}
              </li>
            ))}
          </ul>
        </section>
      )}
      {hint === null ? null : (
        <section>
          <h2>The agent was told</h2>
          <p class="said">
            {plainText(textAt(hint, 'hint', 'hint_text') || textAt(hint, 'hint_text'), 4000)}
          </p>
        </section>
      )}
      <p class="actions">
        {hint === null || detail.hint_shown === null ? null : (
          <button
            type="button"
            class="main"
            aria-expanded={promoting === 'run'}
            onClick={() => toggle('run')}
          >
            Let it pass for this run
          </button>
        )}
        {hint === null || row.rule === null ? null : (
          <button type="button" aria-expanded={promoting === 'rule'} onClick={() => toggle('rule')}>
            Let it pass by a rule
          </button>
        )}
        <CopyButton text={page.command(`sub show ${row.seq}`)} copy={page.copy} />
        {row.kind === 'call' && row.refused ? (
          <CopyButton text={page.command(`sub why ${row.seq}`)} copy={page.copy} />
        ) : null}
        {row.kind === 'call' ? <CompareButtons page={page} row={row} /> : null}
        {same('tool', row.tool ?? '', 'tool')}
        {same('args', args, 'arguments')}
        {same('rule', row.rule ?? '', 'rule')}
      </p>
      {promoting === 'rule' ? <RuleFor page={page} seq={row.seq} /> : null}
      {promoting === 'run' && hint !== null && detail.hint_shown !== null ? (
        <Promote
          page={page}
          run={row.run ?? ''}
          call={detail.call_id ?? ''}
          shown={detail.hint_shown}
          tool={name}
          rule={row.rule ?? ''}
          detail={detail}
        />
      ) : null}
      {trace === null ? (
        detail.trace_problem === null ? null : (
          <section>
            <h2>Rule by rule</h2>
            <p class="quiet">{plainText(detail.trace_problem, 400)}</p>
          </section>
        )
      ) : (
        <section>
          <h2>Rule by rule</h2>
          <Trace page={page} trace={trace} />
        </section>
      )}
      <Previews entries={entries} copy={page.copy} />
      {change === null ? null : (
        <section>
          <h2>Files that it changed</h2>
          <pre class="said" tabIndex={0}>
            {jsonText(change)}
          </pre>
        </section>
      )}
      <section>
        <dl class="facts">
          {args === '' ? null : (
            <>
              <dt>Arguments</dt>
              <dd class="data">sha256 {plainText(args, 64)}</dd>
            </>
          )}
          <dt>Audit reference</dt>
          <dd class="data">{plainText(textAt(record, 'audit_ref'), 120)}</dd>
          <dt>Proof</dt>
          <dd>
            <CopyButton text={page.command(`sub audit prove ${seqs.at(-1) ?? row.seq}`)} copy={page.copy} />
          </dd>
        </dl>
        <Entries entries={entries} />
      </section>
    </article>
  );
}

function shownOf(entries: readonly JsonObject[]): readonly Shown[] {
  return entries.flatMap((entry) => {
    const seq = numberAt(entry, 'seq');
    return seq === undefined ? [] : [{ seq, entry }];
  });
}

/** A record as a page of its own. */
export function RecordView({ page }: { readonly page: Page }): JSX.Element {
  const seq = Number(page.places.now.value.id);
  if (!Number.isSafeInteger(seq) || seq < 1)
    return (
      <div class="empty">
        <h1>There is no such entry</h1>
      </div>
    );
  return <RecordPane page={page} seq={seq} close={() => page.places.back()} />;
}
