import type { Client, ClientFile } from './client.js';
import { oddStart } from './ours.js';
import type { EntryRecord } from './journal.js';

/** What became of one entry: as it was; its own command again, with what was changed since; or left, and why. */
export interface PutBack {
  readonly name: string;
  readonly pointer: readonly string[];
  readonly became: 'restored' | 'unwrapped' | 'gone' | 'left';
  readonly why?: string;
}

/**
 * A text with every entry of ours put back: those that are recorded, and those that only their own form tells of, where they
 * name this home. Pure. Throws `TextProblem`.
 */
export function putBack(
  client: Client,
  file: ClientFile,
  text: string,
  recorded: readonly EntryRecord[],
  home: string,
): { readonly text: string; readonly entries: readonly PutBack[] } {
  let result = text;
  const entries: PutBack[] = [];
  for (const record of recorded) {
    const { name, pointer } = record;
    const done = client.unroute(result, pointer, record);
    if ('text' in done) {
      result = done.text;
      entries.push({ name, pointer, became: done.how === 'exact' ? 'restored' : 'unwrapped' });
    } else entries.push({ name, pointer, became: done.gone ? 'gone' : 'left', why: done.kept });
  }
  for (const entry of client.read(file, result).entries) {
    const { name, pointer, kind, command, home: named } = entry;
    if (kind !== 'ours' || (named !== undefined && named !== home)) continue;
    // Nobody knows what would be lost.
    if (command !== undefined && oddStart(entry) !== undefined) continue;
    const done = client.unroute(result, pointer, undefined);
    if ('text' in done) {
      result = done.text;
      entries.push({ name, pointer, became: 'unwrapped' });
    } else entries.push({ name, pointer, became: 'left', why: done.kept });
  }
  return { text: result, entries };
}
