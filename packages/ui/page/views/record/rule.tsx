import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { API, type RuleOffer, type RuleOffers, type RuleWritten } from '../../../src/protocol/index.js';
import { CopyButton } from '../../parts/command.js';
import { LineText } from '../../parts/line-text.js';
import { plainText } from '../../parts/plain-text.js';
import { NotYet } from '../../parts/not-yet.js';
import { useAct } from '../../parts/use-act.js';
import type { Page } from '../../state/page.js';
import { useAnswer } from '../../state/use-answer.js';
import { Written } from './written.js';

const WRITE = 'Write this rule';

/** A difference begins with the two names of its file. */
const NAMES = 2;

/** A rule of the policy file for calls like a refused one: first which calls, then the rule, then a yes. */
export function RuleFor({ page, seq }: { readonly page: Page; readonly seq: number }): JSX.Element {
  const [as, setAs] = useState('');
  const { ask, forget, isBusy, lock, problem } = useAct(page);
  const [done, setDone] = useState<{ readonly entry: string; readonly written: RuleWritten } | null>(null);
  const answer = useAnswer(() => page.api.get<RuleOffers>(`${API.rule}/${seq}`), [seq]);
  const command = page.command(`sub hints promote ${seq} --persist${as === '' ? '' : ` --as ${as}`}`);
  if (done !== null) return <Written page={page} entry={done.entry} written={done.written} />;
  if (answer.value === null) return <NotYet answer={answer} says="Reading the policy file" />;
  const { file, lacks, offers } = answer.value;
  const offer = offers.find((one) => one.as === as);
  const write = (shown: string): void =>
    ask<RuleWritten>(
      { act: 'rule', entry: seq, as, shown },
      WRITE,
      ({ audit_ref, data }) => {
        setDone({ entry: audit_ref.split('.')[0] ?? '', written: data });
        page.say('the rule is written');
      },
      // Another file makes another difference: it is shown before anybody can say yes to it.
      answer.again,
    );
  const shown = answer.isAsking || isBusy ? null : (offer?.shown ?? null);
  return (
    <section class="cards rule-for" aria-label="A rule in the policy file">
      <fieldset>
        <legend>Which calls pass from now on, in every run?</legend>
        {offers.map((one) => (
          <label key={one.as}>
            <input
              type="radio"
              name={`as-${seq}`}
              checked={one.as === as}
              onChange={() => {
                setAs(one.as);
                forget();
              }}
            />{' '}
            {plainText(one.about, 200)}
          </label>
        ))}
        {lacks === null ? null : (
          <p class="quiet">The arguments {plainText(lacks, 200)}, so no rule can ask for them.</p>
        )}
      </fieldset>
      {offer === undefined ? null : <Shown file={file} offer={offer} />}
      {page.state.value?.access === 'read' ? (
        <p class="quiet">This page reads only: the same by hand.</p>
      ) : (
        (lock ?? (
          <p class="actions">
            <button type="button" class="main" disabled={shown === null} onClick={() => write(shown ?? '')}>
              {isBusy ? 'At work' : WRITE}
            </button>
            <CopyButton text={command} copy={page.copy} />
          </p>
        ))
      )}
      {problem}
    </section>
  );
}

/** All that would be written, and what it means. */
function Shown({ file, offer }: { readonly file: string; readonly offer: RuleOffer }): JSX.Element {
  const { diff, notes, shown } = offer;
  if (shown === null) return <p>More would be written than can be shown here: a terminal shows all of it.</p>;
  return (
    <>
      <ul>
        {notes.map((note) => (
          <li key={note}>{plainText(note, note.length)}</li>
        ))}
      </ul>
      <p class="quiet data">{plainText(file, 1000)}</p>
      <div class="diff" role="group" aria-label="What is written" tabIndex={0}>
        {diff.slice(NAMES).map((line, at) => (
          <span key={at} class={line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : ''}>
            <LineText line={line.replaceAll('\t', '    ')} />
          </span>
        ))}
      </div>
    </>
  );
}
