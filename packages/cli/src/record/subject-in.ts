import { columnsOf } from '../output/columns.js';
import { clip, clipMiddle, clipObject, escapeText } from '../output/escape.js';
import type { Cell } from '../output/table.js';

/** The server that a client's own tools have, which says no more than their names do. */
const OWN = /^(?:claude|codex):builtin\./;

/** Columns for a file's name and what is around it. */
const MIN_OBJECT = 20;

/** The name of a tool as people know it. */
export function toolName(name: string): string {
  return name.replace(OWN, '');
}

/** A call in so many columns: its name gives way before its object. Both are escaped. */
export function subjectIn(name: string, object: string, columns: number): string {
  const whole = [name, object].filter((part) => part !== '').join(' ');
  if (columnsOf(whole) <= columns) return whole;
  if (object === '') return clipMiddle(name, columns);
  const shown = clip(name, Math.max(4, columns - Math.min(MIN_OBJECT, columnsOf(object)) - 1));
  return `${shown} ${clipObject(object, columns - columnsOf(shown) - 1)}`;
}

/** The cell of a call, or of other words about it. */
export function subjectCell(name: string, object: string | null): Cell {
  const [tool, words] = [escapeText(toolName(name)), object ?? ''];
  return {
    text: [toolName(name), words].filter((part) => part !== '').join(' '),
    within: (columns) => subjectIn(tool, escapeText(words), columns),
  };
}

/** The cell of a call's object alone. */
export function objectCell(object: string | null): Cell {
  const text = object ?? '';
  return { text, within: (columns) => clipObject(escapeText(text), columns) };
}
