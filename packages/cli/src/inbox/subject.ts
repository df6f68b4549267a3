import { textAt } from '@subluminal/core-types';
import { columnsOf } from '../output/columns.js';
import { clip, clipMiddle, escapeText } from '../output/escape.js';
import type { Waiting } from './waiting.js';

/** The call, the action or the tool that it is about, in one text. */
export function subjectText({ kind, id, facts }: Waiting): string {
  const of = (key: string): string => textAt(facts, key);
  switch (kind) {
    case 'question':
      return joined(`${of('server_name')}.${of('tool_name')}`, of('object'));
    case 'action':
      return joined(of('action'), of('summary'));
    case 'tool':
      return id;
    case 'hint':
      return joined(`${of('server_name')}.${of('tool_name')}`, textAt(facts, 'object'));
  }
}

/** Columns for a file's name and what is around it. */
const MIN_OBJECT = 20;

/**
 * The same in so many columns: the name of the server is left out first, then what else a call has than its
 * file, then the middle of that.
 */
export function subjectWithin(one: Waiting, columns: number): string {
  const whole = escapeText(subjectText(one));
  if (columnsOf(whole) <= columns) return whole;
  const [server, tool] = ['server_name', 'tool_name'].map((key) => escapeText(textAt(one.facts, key)));
  const object = escapeText(textAt(one.facts, 'object')).replace(/ with \{.*$/u, '');
  if (one.kind === 'action' || !tool || object === '') return clipMiddle(whole, columns);
  const room = columns - MIN_OBJECT - 1;
  const named = `${server}.${tool}`;
  const name = columnsOf(named) <= room ? named : clip(tool, Math.max(4, room));
  return `${name} ${clipMiddle(object, columns - columnsOf(name) - 1)}`;
}

function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' ');
}
