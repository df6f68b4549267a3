import type { JsonObject } from '@subluminal/core-types';
import type { Access } from '../effects/touch.js';
import { accessOf, plain } from './keys.js';

/** Verbs of tools that do several things with files: `{ command: 'view', path }`. */
const VERBS: ReadonlyMap<string, Access> = new Map([
  ...['view', 'read', 'cat', 'open', 'get', 'show'].map((verb): [string, Access] => [verb, 'read']),
  ...['list', 'stat', 'exists', 'info'].map((verb): [string, Access] => [verb, 'look']),
  ...'write create edit append insert str_replace replace update save overwrite move rename copy put patch undo_edit mkdir touch truncate'
    .split(' ')
    .map((verb): [string, Access] => [verb, 'write']),
  ...['delete', 'remove', 'rm', 'unlink', 'rmdir', 'trash'].map((verb): [string, Access] => [verb, 'delete']),
]);
const VERB_KEYS: ReadonlySet<string> = new Set(
  'action operation op method mode command cmd verb type'.split(' '),
);

/** Whether a text under a key of commands is the verb of such a tool, and no program of a shell. */
export function isVerb(text: string): boolean {
  return /^(?:view|create|str_replace|insert|undo_edit)$/.test(text);
}

/** Tools whose arguments say which of several things they do. */
const BY_VERB = /^str_replace_(?:based_)?edit|text_?editor/i;

/**
 * The accesses of a call to the files that it names: the one that the name of its tool tells, and those that
 * verbs in its arguments tell. Where a tool does several things, a verb that is known tells all.
 */
export function accessesOf(tool: string, args: JsonObject): readonly [Access, ...Access[]] {
  const [first, ...others] = accessesIn(args);
  if (first !== undefined && BY_VERB.test(tool)) return [first, ...others];
  const own = accessOf(tool);
  return [own, ...(first === undefined ? [] : [first, ...others]).filter((access) => access !== own)];
}

function accessesIn(args: JsonObject): readonly Access[] {
  return Object.entries(args).flatMap(([key, value]) => {
    if (!VERB_KEYS.has(plain(key)) || typeof value !== 'string') return [];
    const verb = value.toLowerCase().replace(/[_-]?(?:file|files|dir|directory|folder|text)$/, '');
    return VERBS.get(verb) ?? [];
  });
}
