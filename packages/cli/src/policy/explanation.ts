import { valueAt, listAt, objectAt, textAt, textsAt, type JsonObject } from '@subluminal/core-types';
import { wordFor, wordForRuling } from '@subluminal/records';
import { counted } from '../output/counted.js';
import { escapeText } from '../output/escape.js';
import { looksLines } from './looks-text.js';
import { toneOf, type Surface, type Tone } from '../output/style.js';
import { pairs, table, wrapped, type Cell } from '../output/table.js';

/** Why a call was decided as it was, or would be. */
export interface Explanation {
  /** The call that is asked about, in pairs for people. */
  readonly about: readonly (readonly [string, Cell])[];
  /** The same for programs. */
  readonly aboutJson: JsonObject;
  /** The answer of the rules: `{decision, effective, tags, trace}`. Null where the policy cannot be had. */
  readonly ruling: JsonObject | null;
  /** The gaps of the explanation. */
  readonly notes: readonly string[];
}

const COLUMNS = [
  { title: '' },
  { title: 'RULE', max: 60, min: 16 },
  { title: 'KIND' },
  { title: 'OUTCOME' },
  { title: 'COUNTED', align: 'right', min: 13 },
  { title: 'WHY', max: 120 },
] as const;

const TONES: ReadonlyMap<string, Tone> = new Map([
  ['allowed', 'good'],
  ['overrides', 'good'],
  ['lifted', 'good'],
  ['blocked', 'bad'],
  ['asks', 'warn'],
  ['limited', 'bad'],
  ['error', 'bad'],
  ['tagged_unseen', 'warn'],
  ['not_inspected', 'warn'],
]);
/** Outcomes of rules that had no part in it, in words for one and for several. */
const ASIDE: ReadonlyMap<string, readonly [string, string]> = new Map([
  ['not_matched', ['did not match', 'did not match']],
  ['disabled', ['is disabled', 'are disabled']],
  ['not_asked', ['was not asked', 'were not asked']],
]);

/** The explanation for programs; the names are documented in docs/cli.md. */
export function explanationJson({ aboutJson, ruling, notes }: Explanation): JsonObject {
  return { ...aboutJson, ruling, notes: [...notes] };
}

/**
 * The explanation for people: what and why, then a line for each rule that had a part in it, with the
 * deciding one marked. `isWhole`: a line for every other rule, too.
 */
export function explanationLines(
  { about, ruling, notes }: Explanation,
  surface: Surface,
  isWhole: boolean,
): readonly string[] {
  const { paint } = surface;
  const said = notes.map((note) => `${paint('warn', 'note')}: ${escapeText(note)}`);
  const head = pairs(
    about.filter(([, cell]) => cell.text !== ''),
    paint,
    surface.width,
  );
  if (ruling === null) return [...head, '', ...said];
  const tags = textsAt(ruling, 'tags');
  return [
    ...head,
    '',
    ...ruleLines(ruling, surface, isWhole),
    ...looksLines(objectAt(ruling, 'objects'), surface, isWhole),
    '',
    ...decisionLines(ruling, surface),
    ...narrowingLines(ruling, surface, isWhole),
    ...(tags.length === 0 ? [] : [escapeText(`classes: ${tags.join(', ')}`)]),
    ...said,
  ];
}

/** The rules of one policy: those that had a part in it, or all of them, and how many are left out. */
function ruleLines(ruling: JsonObject, surface: Surface, isWhole: boolean): readonly string[] {
  const { paint, width } = surface;
  const trace = listAt(ruling, 'trace');
  const decider = deciderOf(ruling, trace);
  const shown = isWhole ? trace : trace.filter((step) => !ASIDE.has(textAt(step, 'outcome')));
  const rows = shown.map((step) => rowOf(step, step === decider));
  const others = isWhole ? ', the others had no part in it' : '';
  return [
    ...(rows.length === 0
      ? []
      : [
          ...table(COLUMNS, rows, surface),
          paint('dim', `\`=>\` decided the call, \`*\` matched it${others}`),
        ]),
    ...leftOutText(trace, shown.length).flatMap((text) => wrapped(text, width)),
  ];
}

/** How many rules are not shown, by why they had no part in it. */
function leftOutText(trace: readonly JsonObject[], shown: number): readonly string[] {
  if (trace.length === shown) return [];
  const parts = [...ASIDE].flatMap(([outcome, words]) => {
    const count = trace.filter((step) => textAt(step, 'outcome') === outcome).length;
    return count === 0 ? [] : [`${counted(count, 'rule')} ${words[count === 1 ? 0 : 1]}`];
  });
  return [`${parts.join(', ')}: \`--all\` shows them`];
}

/** The policies that narrow that of the home are asked as well, and the strictest answer holds. */
function narrowingLines(ruling: JsonObject, surface: Surface, isWhole: boolean): readonly string[] {
  const own = objectAt(ruling, 'run_policy');
  const others = [
    ...(textAt(own, 'policy_id') === '' ? [] : [['the policy that the run was given', own] as const]),
    ...listAt(ruling, 'project_policies').map((one) => [`\`${textAt(one, 'file')}\``, one] as const),
  ];
  if (others.length === 0) return [];
  const whose: Readonly<Record<string, string>> = {
    project: `\`${textAt(ruling, 'file')}\``,
    run: 'the policy that the run was given',
  };
  const told = others.flatMap(([name, one]) => [
    '',
    escapeText(
      `${name} (${textAt(one, 'policy_id')} ${textAt(one, 'policy_version')}, mode ${textAt(one, 'mode')}):`,
    ),
    ...ruleLines(one, surface, isWhole),
    ...decisionLines(one, surface),
  ]);
  const by = whose[textAt(ruling, 'by')] ?? 'the policy of the home';
  return [...told, ...wrapped(escapeText(`the strictest answer holds: that of ${by}`), surface.width)];
}

/** The step that decided: of the rule that the decision names, the one that refused or allowed. */
function deciderOf(ruling: JsonObject, trace: readonly JsonObject[]): JsonObject | undefined {
  const rule = valueAt(ruling, 'decision', 'rule_id');
  const own = trace.filter(
    (step) => valueAt(step, 'rule_id') === rule && !ASIDE.has(textAt(step, 'outcome')),
  );
  return own.at(-1);
}

function rowOf(step: JsonObject, isDecider: boolean): readonly Cell[] {
  const outcome = textAt(step, 'outcome');
  const aside = ASIDE.has(outcome);
  const tone: Tone = aside ? 'dim' : (TONES.get(outcome) ?? 'plain');
  const text: Tone = isDecider ? 'bold' : aside ? 'dim' : 'plain';
  return [
    { text: isDecider ? '=>' : aside ? '' : '*', tone: isDecider ? tone : 'plain' },
    { text: textAt(step, 'rule_id') || '(none)', tone: text },
    { text: textAt(step, 'kind'), tone: text },
    { text: wordFor(outcome), tone },
    { text: metersText(step), tone: text },
    { text: whyText(step), tone: aside ? 'dim' : 'plain' },
  ];
}

/** The count of a limit and its bound: `2 of 5 calls`. */
function metersText(step: JsonObject): string {
  const meters = listAt(step, 'meters');
  return (meters.length === 0 ? [objectAt(step, 'meter')] : meters)
    .map((meter) => `${textAt(meter, 'used')} of ${textAt(meter, 'limit')} ${textAt(meter, 'unit')}`)
    .filter((text) => text.trim() !== 'of')
    .join(', ');
}

function whyText(step: JsonObject): string {
  const field = textAt(step, 'field');
  const note = textAt(step, 'note');
  // The outcome beside it says how.
  if (['not_matched', 'not_inspected'].includes(textAt(step, 'outcome')) && field !== '') return field;
  return [field, note].filter((part) => part !== '').join(': ');
}

function decisionLines(ruling: JsonObject, { paint, width }: Surface): readonly string[] {
  const decision = objectAt(ruling, 'decision');
  const effective = objectAt(ruling, 'effective');
  const wordOf = (answer: JsonObject): string =>
    wordForRuling(textAt(answer, 'action'), textAt(answer, 'reason_code'));
  const word = wordOf(decision);
  const inForce = textAt(effective, 'action') === '' ? word : wordOf(effective);
  const rule = textAt(decision, 'rule_id');
  const by =
    rule === '' ? textAt(decision, 'reason_code') : `rule ${rule} (${textAt(decision, 'reason_code')})`;
  const text = `${word} by ${by}: ${textAt(decision, 'summary')}`;
  const observed = inForce === word ? '' : `; in force: ${inForce}`;
  return wrapped(escapeText(`${text}${observed}`), width).map((line) => paint(toneOf(word), line));
}
