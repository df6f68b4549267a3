import { SublError } from '@subluminal/core-types';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A closed file of a ledger, by its name. What it holds is for others to prove. */
export interface ClosedSegment {
  /** 1, 2, 3, … */
  readonly number: number;
  /** Its first and last entry. */
  readonly first: number;
  readonly last: number;
  readonly path: string;
}

const NAME = /^([1-9][0-9]{0,8})-([1-9][0-9]{0,15})-([1-9][0-9]{0,15})\.db$/;

/** Where the closed files of the ledger at `path` lie. */
export function segmentsFolder(path: string): string {
  return join(dirname(path), 'segments');
}

/** The name of a closed file: its number, its first and its last entry. */
export function closedName({ number, first, last }: Omit<ClosedSegment, 'path'>): string {
  return `${number}-${first}-${last}.db`;
}

/**
 * The closed files in a folder, oldest first; none where there is no such folder. Other names are left out,
 * and links that lead nowhere: what they stand for lies elsewhere.
 *
 * @throws SublError `ledger_unsafe` where it cannot be listed.
 */
export function closedSegments(folder: string): ClosedSegment[] {
  return namesIn(folder)
    .flatMap((name) => {
      const [, number, first, last] = NAME.exec(name) ?? [];
      const known = { number: Number(number), first: Number(first), last: Number(last) };
      const path = join(folder, name);
      return number === undefined || !existsSync(path) ? [] : [{ ...known, path }];
    })
    .toSorted((a, b) => a.number - b.number || a.first - b.first);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (Reflect.get(Object(error), 'code') === 'ENOENT') return [];
    const why = error instanceof Error ? error.message : String(error);
    throw new SublError('ledger_unsafe', `the closed files in \`${folder}\` cannot be listed: ${why}`, {
      cause: error,
      help: 'make it a folder that this user may read',
    });
  }
}
