import type { Client, ClientFile, ToUnroute } from '../client.js';
import { oddStart } from '../ours.js';
import type { EntryRecord } from './journal.js';

/**
 * The outcome of one entry: as it was; its own command again, with the changes made since; or left, and why.
 */
export interface PutBack {
  readonly name: string;
  readonly pointer: readonly string[];
  readonly became: 'restored' | 'unwrapped' | 'gone' | 'left';
  readonly why?: string;
}

/**
 * A text with every entry of ours put back: those that are recorded, and those that only their own form tells
 * of, where they name this home. Pure. Throws `TextProblem`.
 */
export function putBack(
  client: Client,
  file: ClientFile,
  text: string,
  recorded: readonly EntryRecord[],
  home: string,
): { readonly text: string; readonly entries: readonly PutBack[] } {
  const entries: PutBack[] = [];
  const take = (now: string, wanted: readonly Wanted[]): string => {
    if (wanted.length === 0) return now;
    const done = client.unroute(now, wanted);
    for (const [index, became] of done.became.entries()) {
      const { name = '', pointer = [] } = wanted[index] ?? {};
      if ('kept' in became)
        entries.push({ name, pointer, became: became.gone ? 'gone' : 'left', why: became.kept });
      else entries.push({ name, pointer, became: became.how === 'exact' ? 'restored' : 'unwrapped' });
    }
    return done.text;
  };
  const known = take(
    text,
    recorded.map((back) => ({ name: back.name, pointer: back.pointer, back })),
  );
  const others = client.read(file, known).entries.filter((entry) => {
    const { kind, command, home: named } = entry;
    if (kind !== 'ours' || (named !== undefined && named !== home)) return false;
    // Nobody knows what would be lost.
    return command === undefined || oddStart(entry) === undefined;
  });
  const result = take(
    known,
    others.map(({ name, pointer }) => ({ name, pointer, back: undefined })),
  );
  return { text: result, entries };
}

interface Wanted extends ToUnroute {
  readonly name: string;
}
