import { commandText } from '@subluminal/core-types/portable';
import { filterText, parseFilter, type FilterKey } from '../../../records/src/filter/parse.js';

/** A term of a filter, as it is written. */
export interface Chip {
  readonly text: string;
  /** It cannot be read, and why. */
  readonly mistake: string | null;
}

/** Words that a filter begins with, for completion, and what may follow: first those of which all is said. */
export const WORDS: readonly (readonly [string, string])[] = [
  ['decision:', 'refused, hinted (refused · hint), asked, slowed, ended, allowed'],
  ['is:', 'refused, flagged, open, widening'],
  ['kind:', 'call, net, action'],
  ['status:', 'ok, failed, timeout, cancelled, running, stopped, resumed'],
  ['since:', '1h, 7d, 2026-11-27'],
  ['until:', '1h, 7d, 2026-11-27'],
  ['took:', '>2s, <100ms'],
  ['size:', '>1m, <10k'],
  ['tool:', 'name of a tool; * for any letters'],
  ['server:', 'name of a server'],
  ['rule:', 'id of a rule'],
  ['run:', 'id of a run, or its end'],
  ['agent:', 'name of an agent'],
  ['client:', 'name of a client'],
  ['project:', 'folder of a project'],
  ['command:', 'a command that a call names'],
  ['path:', 'a file that a call names'],
  ['host:', 'a host that a call names'],
  ['object:', 'a part of what a call names'],
  ['text:', 'a text in what is kept of a call'],
  ['args:', 'hash of the arguments of a call'],
  ['request:', 'id of a request'],
  ['action:', 'name of an action'],
];

/** Terms of the words that have few values, and what is said of one in brackets. */
export const KNOWN = WORDS.slice(0, 6).flatMap(([word, says]) =>
  says.split(', ').map((value) => {
    const [name = '', ...more] = value.split(' ');
    return [word + name, more.join(' ')] as const;
  }),
);

/** The terms of a filter one by one; where it cannot be read, all of it as one. */
export function chipsOf(filter: string): readonly Chip[] {
  if (filter.trim() === '') return [];
  const parsed = parseFilter(filter);
  if (!parsed.ok) return [{ text: filter, mistake: parsed.message }];
  return parsed.terms.map((term) => ({ text: filterText([term]), mistake: null }));
}

/** A term of a key and a value, in quotes where it needs them. */
export function termText(key: FilterKey, value: string, not = false): string {
  return filterText([{ key, values: [value], not }]);
}

/** The filter with more terms; without change where it has them already. */
export function withTerms(filter: string, more: string): string {
  const there = chipsOf(filter).map(({ text }) => text);
  const fresh = chipsOf(more).filter(({ text }) => !there.includes(text));
  return [...there, ...fresh.map(({ text }) => text)].join(' ');
}

/** The filter, of this time alone; both ends in epoch ms, in any order. */
export function withinTime(filter: string, one: number, other: number): string {
  const [from, to] = one < other ? [one, other] : [other, one];
  const rest = chipsOf(filter)
    .map(({ text }) => text)
    .filter((text) => !/^(?:since|until):/.test(text));
  const moment = (ms: number): string => new Date(Math.round(ms)).toISOString();
  return [...rest, termText('since', moment(from)), termText('until', moment(to))].join(' ');
}

/** The filter without the term at that place. */
export function withoutTerm(filter: string, index: number): string {
  return chipsOf(filter)
    .filter((_, at) => at !== index)
    .map(({ text }) => text)
    .join(' ');
}

/** The same question for a terminal; null for one that a terminal would not show as it is. */
export function queryCommand(filter: string): string | null {
  const words = filter === '' ? [] : [filter];
  const { left, text } = commandText(filter.startsWith('-') ? ['query', '--'] : ['query'], words);
  return left ? null : text;
}
