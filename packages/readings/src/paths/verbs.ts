import type { JsonObject } from '@subluminal/core-types';
import type { Access } from '../effects/touch.js';
import { plain } from './keys.js';

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

/** The accesses that the arguments of a call name by verbs. */
export function accessesIn(args: JsonObject): readonly Access[] {
  return Object.entries(args).flatMap(([key, value]) => {
    if (!VERB_KEYS.has(plain(key)) || typeof value !== 'string') return [];
    const verb = value.toLowerCase().replace(/[_-]?(?:file|files|dir|directory|folder|text)$/, '');
    return VERBS.get(verb) ?? [];
  });
}
