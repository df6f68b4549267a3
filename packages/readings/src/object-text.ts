import { isJsonObject, MAX_DEPTH, type JsonObject, type JsonValue } from '@subluminal/core-types';
import { isCommandKey, isFileKey, isSqlKey } from './paths/keys.js';
import { isPatch, patchedFiles } from './paths/patch.js';

const MAX_FILES = 3;
/** Keys of what is reached, or looked for, where nothing nearer is named. */
const OTHER_KEYS: ReadonlySet<string> = new Set([
  'url',
  'uri',
  'href',
  'endpoint',
  'pattern',
  'query',
  'q',
  'name',
]);

/** Keys of where something is moved or copied to. */
const GOALS = /^(?:dest(?:ination)?|dst|target|to|new)(?:_?(?:file|name|path|uri))?$/i;

interface Found {
  command?: string;
  sql?: string;
  other?: string;
  readonly files: string[];
}

/**
 * The object of a call in one text, for a person: its command, else its query, its files, the URL or what it
 * looks for; null where its arguments name none. As the arguments have it: neither resolved nor shortened.
 */
export function objectText(server: string, tool: string, args: JsonObject): string | null {
  const found: Found = { files: [] };
  visit({ server, tool }, args, '', 0, found);
  const { command, sql, other, files } = found;
  if (command !== undefined) return command;
  if (sql !== undefined) return sql;
  if (files.length === 0) return other ?? null;
  const more = files.length > MAX_FILES ? [`and ${files.length - MAX_FILES} more`] : [];
  return [...files.slice(0, MAX_FILES), ...more].join(' ');
}

interface Names {
  readonly server: string;
  readonly tool: string;
}

function visit(names: Names, value: JsonValue, key: string, depth: number, found: Found): void {
  if (typeof value === 'string') return take(names, value, key, found);
  if (value === null || typeof value !== 'object' || depth === MAX_DEPTH) return;
  if (Array.isArray(value)) {
    if (isCommandKey(names.tool, key))
      found.command ??= value.filter((word) => typeof word === 'string').join(' ');
    else for (const one of value) visit(names, one, key, depth + 1, found);
  } else if (isJsonObject(value)) {
    for (const [name, one] of inReadingOrder(Object.entries(value)))
      visit(names, one, name, depth + 1, found);
  }
}

/** Arguments are kept in the order of their names; a person reads from where to where. */
function inReadingOrder(entries: readonly (readonly [string, JsonValue])[]): typeof entries {
  const ranked = (name: string): number => Number(GOALS.test(name));
  return entries.toSorted(([one], [other]) => ranked(one) - ranked(other));
}

function take({ server, tool }: Names, text: string, key: string, found: Found): void {
  if (text === '') return;
  if (isPatch(tool, key, text)) found.files.push(...patchedFiles(text).map(({ name }) => name));
  else if (isCommandKey(tool, key)) found.command ??= text;
  else if (isSqlKey(server, tool, key)) found.sql ??= text;
  else if (isFileKey(server, key) && !found.files.includes(text)) found.files.push(text);
  else if (OTHER_KEYS.has(key.toLowerCase())) found.other ??= text;
}
