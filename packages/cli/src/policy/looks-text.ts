import { listAt, textAt, textsAt, valueAt, type JsonObject } from '@subluminal/core-types';
import { clipMiddle, escapeText } from '../output/escape.js';
import type { Surface } from '../output/style.js';
import { pairs, type Cell } from '../output/table.js';

/** Objects of a kind that are shown to a person. */
const MAX_SHOWN = 20;
/** A longer command is cut in its middle. */
const MAX_TEXT = 400;

/** One kind of objects: its name, where it stands, its text, and the field of a match that looks at it. */
const KINDS = [
  { name: 'path', list: 'paths', text: pathText, field: 'path' },
  { name: 'command', list: 'commands', text: commandText, field: 'command' },
  { name: 'host', list: 'hosts', text: (one: JsonObject) => textAt(one, 'host'), field: 'host' },
  { name: 'statement', list: 'statements', text: statementText, field: 'sql' },
  { name: 'not read', list: 'unread', text: unreadText, field: undefined },
] as const;

type Line = readonly [string, Cell];

/**
 * The objects that the rules read of a call, each with those that it fits; then, where all is shown, the
 * rules that looked.
 */
export function looksLines(objects: JsonObject, surface: Surface, isWhole: boolean): readonly string[] {
  const found = KINDS.flatMap(({ name, list, text }) => {
    const all = listAt(objects, list);
    const lines = all.slice(0, MAX_SHOWN).flatMap((one) => objectLines(name, text(one), one));
    const more: Line[] =
      all.length > MAX_SHOWN ? [['', { text: `… ${all.length - MAX_SHOWN} more (\`--json\`)` }]] : [];
    return [...lines, ...more];
  });
  if (found.length === 0) return [];
  const looked = KINDS.flatMap(({ name, list, field }): readonly Line[] => {
    const rules = field === undefined || !isWhole ? [] : textsAt(objects, 'looked', field);
    if (rules.length === 0 || listAt(objects, list).length === 0) return [];
    return [['', { text: `each ${name} was looked at by ${rules.join(', ')}`, tone: 'dim' }]];
  });
  return ['', ...pairs([...found, ...looked], surface.paint, surface.width)];
}

function objectLines(name: string, texts: readonly string[] | string, one: JsonObject): readonly Line[] {
  const rules = textsAt(one, 'rules');
  const [first = '', ...others] = typeof texts === 'string' ? [texts] : texts;
  return [
    [name, { text: clipped(first), tone: rules.length === 0 ? 'plain' : 'bold' }],
    ...others.map((text): Line => ['', { text: `also ${clipped(text)}` }]),
    ...(rules.length === 0 ? [] : [['', { text: `fits ${rules.join(', ')}`, tone: 'warn' }] as Line]),
  ];
}

/** Cut where it would fill the screen; the escapes count, and `pairs` escapes once more without effect. */
function clipped(text: string): string {
  return clipMiddle(escapeText(text), MAX_TEXT);
}

function pathText(one: JsonObject): readonly string[] {
  const [first = '', ...others] = textsAt(one, 'forms');
  return [`${first} (${textAt(one, 'access')})`, ...others];
}

function commandText(one: JsonObject): string {
  const via = textsAt(one, 'via');
  const unknown = valueAt(one, 'runs_unknown') === true ? ' (runs code that is not known)' : '';
  return `${textAt(one, 'argv')}${via.length === 0 ? '' : ` (by ${via.join(', ')})`}${unknown}`;
}

function statementText(one: JsonObject): string {
  return `${textAt(one, 'verb')}${valueAt(one, 'without_where') === true ? ' of every row' : ''}`;
}

function unreadText(one: JsonObject): string {
  return `${textAt(one, 'part')}: ${textAt(one, 'why')}`;
}
