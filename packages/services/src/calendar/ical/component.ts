import { SublError } from '@subluminal/core-types';

/**
 * One unfolded line of iCalendar (https://www.rfc-editor.org/rfc/rfc5545#section-3.1). `text` is the whole
 * line as it came.
 */
export interface ContentLine {
  /** In upper case. */
  readonly name: string;
  /** Names in upper case; values without their quotes. */
  readonly params: ReadonlyMap<string, string>;
  readonly value: string;
  readonly text: string;
}

/** The items between a BEGIN and its END, in their order: a line that nobody here knows stays where it is. */
export interface Component {
  readonly name: string;
  items: readonly (ContentLine | Component)[];
}

const MAX_LINES = 20_000;
const MAX_DEPTH = 8;
/** Octets of a line on the wire, without its end. */
const FOLD_AT = 75;

/**
 * Reads one iCalendar object. Everything in it is kept, so that writing it again loses nothing.
 *
 * @throws SublError `adapter_failed` where the text is none.
 */
export function readCalendar(text: string): Component {
  const open: { name: string; items: (ContentLine | Component)[] }[] = [];
  let root: Component | undefined;
  for (const line of linesOf(text)) {
    const parent = open.at(-1);
    if (line.name === 'BEGIN') {
      if (root !== undefined || open.length >= MAX_DEPTH) throw unreadable('it is nested in an odd way');
      open.push({ name: line.value.trim().toUpperCase(), items: [] });
    } else if (line.name === 'END') {
      if (parent?.name !== line.value.trim().toUpperCase()) throw unreadable('a component does not end');
      open.pop();
      const holder = open.at(-1);
      if (holder === undefined) root = parent;
      else holder.items.push(parent);
    } else if (parent === undefined) throw unreadable('a line stands outside of it');
    else parent.items.push(line);
  }
  if (root?.name !== 'VCALENDAR' || open.length > 0) throw unreadable('it is no whole VCALENDAR');
  return root;
}

/** The object as it is sent: folded, with CRLF line ends. */
export function writeCalendar(component: Component): string {
  return `${linesToWrite(component).map(folded).join('\r\n')}\r\n`;
}

/** Tells a component from a line. */
export function isComponent(item: ContentLine | Component): item is Component {
  return 'items' in item;
}

/** The components of a name directly within another. */
export function componentsIn(component: Component, name: string): readonly Component[] {
  return component.items.filter((item): item is Component => isComponent(item) && item.name === name);
}

/** The lines of a name. */
export function linesIn(component: Component, name: string): readonly ContentLine[] {
  return component.items.filter((item): item is ContentLine => !isComponent(item) && item.name === name);
}

/** The first line of a name. */
export function lineIn(component: Component, name: string): ContentLine | undefined {
  return linesIn(component, name)[0];
}

/** Reads one unfolded line. */
export function readLine(text: string): ContentLine {
  let at = 0;
  const until = (ends: string): string => {
    const from = at;
    while (at < text.length && !ends.includes(text.charAt(at))) at += 1;
    return text.slice(from, at);
  };
  const name = until(';:').toUpperCase();
  const params = new Map<string, string>();
  while (text.charAt(at) === ';') {
    at += 1;
    const param = until('=;:').toUpperCase();
    if (text.charAt(at) !== '=') throw unreadable('a parameter has no value');
    const values: string[] = [];
    do {
      at += 1;
      if (text.charAt(at) === '"') {
        at += 1;
        values.push(until('"'));
        at += 1;
      } else values.push(until(';:,'));
    } while (text.charAt(at) === ',');
    if (!params.has(param)) params.set(param, values.join(','));
  }
  if (text.charAt(at) !== ':' || !/^[A-Z0-9-]+$/.test(name))
    throw unreadable('a line has no name or no value');
  return { name, params, value: text.slice(at + 1), text };
}

function linesOf(text: string): readonly ContentLine[] {
  const lines = text
    .replaceAll(/\r?\n[ \t]/g, '')
    .split(/\r?\n/)
    .filter((line) => line !== '');
  if (lines.length > MAX_LINES) throw unreadable(`it has more than ${MAX_LINES} lines`);
  return lines.map(readLine);
}

function linesToWrite({ name, items }: Component): readonly string[] {
  return [
    `BEGIN:${name}`,
    ...items.flatMap((item) => (isComponent(item) ? linesToWrite(item) : [item.text])),
    `END:${name}`,
  ];
}

/** Folds between characters, never within one. */
function folded(line: string): string {
  if (Buffer.byteLength(line) <= FOLD_AT) return line;
  const parts: string[] = [];
  let part = '';
  let bytes = 0;
  for (const character of line) {
    const size = bytesOf(character.codePointAt(0) ?? 0);
    if (bytes + size > FOLD_AT) {
      parts.push(part);
      part = ' ';
      bytes = 1;
    }
    part += character;
    bytes += size;
  }
  return [...parts, part].join('\r\n');
}

/** Bytes of one character in UTF-8. */
function bytesOf(code: number): number {
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}

function unreadable(why: string): SublError {
  return new SublError('adapter_failed', `an event cannot be read: ${why}`);
}
