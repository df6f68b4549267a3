import type { JSX } from 'preact';
import { listAt, numberAt, objectAt, textAt, type JsonObject } from '@subluminal/core-types/portable';
import { PlaceLink } from '../../parts/place-link.js';
import { plainText } from '../../parts/plain-text.js';
import type { Page } from '../../state/page.js';

/** How an outcome of a rule is called, and whether the rule settled the call. */
const OUTCOMES: Readonly<Record<string, readonly [string, 'matched' | 'passed' | 'unreached']>> = {
  disabled: ['switched off', 'unreached'],
  not_matched: ['no match', 'passed'],
  not_inspected: ['not looked at', 'passed'],
  not_asked: ['not reached', 'unreached'],
  tagged: ['tagged', 'passed'],
  tagged_unseen: ['tagged unseen', 'passed'],
  allowed: ['match: allow', 'matched'],
  overrides: ['match: allow, over other rules', 'matched'],
  blocked: ['MATCH: refused', 'matched'],
  asks: ['MATCH: asks', 'matched'],
  lifted: ['lifted', 'passed'],
  counted: ['counted', 'passed'],
  limited: ['MATCH: over its limit', 'matched'],
  error: ['could not be decided', 'matched'],
};

/** The decision, rule by rule, in the order in which they were asked. */
export function Trace({ page, trace }: { readonly page: Page; readonly trace: JsonObject }): JSX.Element {
  const ruling = objectAt(trace, 'ruling');
  const steps = listAt(ruling, 'trace').length > 0 ? listAt(ruling, 'trace') : listAt(trace, 'trace');
  const hash = textAt(trace, 'policy', 'policy_hash').slice(0, 8);
  const winner = textAt(ruling, 'decision', 'rule_id') || textAt(trace, 'decision', 'rule_id');
  return (
    <ol class="trace">
      {steps.map((step, index) => {
        const rule = textAt(step, 'rule_id');
        const outcome = textAt(step, 'outcome');
        const [words, state] = Object.hasOwn(OUTCOMES, outcome)
          ? (OUTCOMES[outcome] ?? [outcome, 'passed'])
          : [plainText(outcome, 40), 'passed'];
        const field = textAt(step, 'field');
        const meter = objectAt(step, 'meter');
        const isWinner = rule !== '' && rule === winner;
        return (
          <li key={index} data-state={isWinner ? 'matched' : state === 'matched' ? 'passed' : state}>
            <span aria-hidden="true">{isWinner ? '›' : ''}</span>
            <span class="quiet">{index + 1}</span>
            <span class="data">
              {rule === '' ? plainText(textAt(step, 'kind'), 40) : plainText(rule, 80)}
            </span>
            <span class="outcome">
              {words}
              {field === '' ? '' : `: ${plainText(field, 60)}`}
              {numberAt(meter, 'limit') === undefined
                ? ''
                : ` (${numberAt(meter, 'used') ?? 0} of ${numberAt(meter, 'limit') ?? 0} ${plainText(textAt(meter, 'unit'), 20)})`}
              {textAt(step, 'note') === '' ? '' : `, ${plainText(textAt(step, 'note'), 200)}`}
            </span>
            {isWinner ? (
              <PlaceLink page={page} look="" to={{ view: 'policy', filter: `${rule}@${hash}` }}>
                Rule
              </PlaceLink>
            ) : (
              <span />
            )}
          </li>
        );
      })}
    </ol>
  );
}
