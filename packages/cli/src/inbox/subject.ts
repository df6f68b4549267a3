import { textAt } from '@subluminal/core-types';
import { columnsOf } from '../output/columns.js';
import { escapeText } from '../output/escape.js';
import { subjectIn, toolName } from '../record/subject-in.js';
import type { Waiting } from './waiting.js';

/** The call, the action or the tool that it is about, in one text. */
export function subjectText({ kind, id, facts }: Waiting): string {
  const of = (key: string): string => textAt(facts, key);
  switch (kind) {
    case 'question':
      return joined(toolName(`${of('server_name')}.${of('tool_name')}`), of('object'));
    case 'action':
      return joined(of('action'), of('summary'));
    case 'tool':
      return id;
    case 'hint':
      return joined(toolName(`${of('server_name')}.${of('tool_name')}`), textAt(facts, 'object'));
  }
}

/** The folder, and all else that a question says behind the object of its call. */
const BESIDE = /^(\S+) (?:in \/|with \{).*$/u;

/**
 * The same in so many columns: the name of the server is left out first. A command is cut at its end, where
 * its folder stands; a file is cut in its middle, without what stands beside it.
 */
export function subjectWithin(one: Waiting, columns: number): string {
  const whole = escapeText(subjectText(one));
  if (one.kind === 'action' || columnsOf(whole) <= columns) return subjectIn(whole, '', columns);
  const tool = escapeText(textAt(one.facts, 'tool_name'));
  const object = escapeText(textAt(one.facts, 'object'));
  if (tool === '' || object === '') return subjectIn(whole, '', columns);
  const file = BESIDE.exec(object)?.[1];
  return file === undefined ? subjectIn(tool, object, columns) : `${subjectIn(tool, file, columns - 2)} …`;
}

function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' ');
}
