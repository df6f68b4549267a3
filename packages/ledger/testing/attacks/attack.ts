import { expect, it } from 'vitest';
import { verifyLedger, type VerifyOptions } from '../../src/index.js';
import { Copy, FILE_POSITIONS, POSITIONS, type Book, type FilePosition, type Position } from './book.js';
import { EXPECTED, type Expected, type Outcome } from './expected.js';
import { EXPECTED_IN_FILES } from './expected-in-files.js';

/** One numbered attack. `expected.ts` says what verify finds of it. */
export interface Attack {
  /** Its number in the list of sixty. */
  readonly number: number;
  readonly name: string;
  /** `rows`: it strikes at an entry, so at all four positions. `whole`: it has no place among the entries. */
  readonly places: 'rows' | 'whole';
  /** Does it, on a copy that nobody else uses; or gives another one in its place. */
  readonly act: (copy: Copy, seq: number, book: Book) => unknown;
  /** Why `ok` or `unproven` is right here: nothing false was left, or nothing inside the file could tell. */
  readonly because?: string;
  readonly options?: (copy: Copy) => VerifyOptions;
}

export type Place = Position | FilePosition | 'whole';

/** The ledger that is attacked: in one file, or in several. */
export interface Ground {
  readonly positions: readonly Place[];
  readonly expected: Readonly<Record<string, Expected>>;
  /** Of so many places one is taken in the short form. */
  readonly share: number;
}

export const ONE_FILE: Ground = { positions: POSITIONS, expected: EXPECTED, share: POSITIONS.length };
export const SEVERAL_FILES: Ground = {
  positions: FILE_POSITIONS,
  expected: EXPECTED_IN_FILES,
  share: FILE_POSITIONS.length,
};

const LONG = process.env['SUB_LONG'] !== undefined;

/** Findings that rest on something outside; any other contradicts itself whether or not there is a memory. */
const NEEDS_MEMORY = /^(heads_log|genesis|receipt|anchor|ok|unproven)/;

/** Registers one test for each attack: with the memory, and without where it was the memory that told. */
export function carryOut(attacks: readonly Attack[], book: () => Book, ground = ONE_FILE): void {
  for (const attack of attacks) {
    it(`${attack.number} ${attack.name}`, { timeout: 300_000 }, async () => {
      const expected = ground.expected[titleOf(attack)] ?? { found: {}, alone: {} };
      const found: Partial<Record<Place, Outcome>> = {};
      const alone: Partial<Record<Place, Outcome>> = {};
      const places = placesToday(attack, ground);
      for (const place of places) {
        const copy = book().copy();
        const seq = book().at[place === 'whole' ? 'middle' : place];
        if (place !== 'whole') copy.aim(seq);
        const result = await attack.act(copy, seq, book());
        const attacked = result instanceof Copy ? result : copy;
        const options = { sealKeyPath: attacked.sealKey, ...attack.options?.(attacked) };
        const outcome = await outcomeOf(attacked, seq, { headsLog: attacked.headsLog, ...options });
        found[place] = outcome;
        if (NEEDS_MEMORY.test(outcome)) alone[place] = await outcomeOf(attacked, seq, options);
        copy.remove();
      }
      expect({ found, alone }).toEqual({
        found: only(expected.found, places),
        alone: only(expected.alone, places),
      });
    });
  }
}

export function titleOf({ number, name }: Attack): string {
  return `${number} ${name}`;
}

/** Where the table says that this attack strikes. */
export function placesOf({ places }: Attack, { positions } = ONE_FILE): readonly Place[] {
  return places === 'whole' ? ['whole'] : positions;
}

/** All of them in the long form; else some of them, so that neighbours in the table cover the others. */
function placesToday(attack: Attack, ground: Ground): readonly Place[] {
  const places = placesOf(attack, ground);
  const { share } = ground;
  return LONG
    ? places
    : places.filter((_, at) => places.length === 1 || at % share === attack.name.length % share);
}

function only(
  table: Partial<Record<Place, Outcome>>,
  places: readonly Place[],
): Partial<Record<Place, Outcome>> {
  return Object.fromEntries(
    places.flatMap((place) => (table[place] === undefined ? [] : [[place, table[place]]])),
  );
}

async function outcomeOf(copy: Copy, seq: number, options: VerifyOptions): Promise<Outcome> {
  const { verdict, exit, finding } = await verifyLedger(copy.path, options);
  if (finding === null) return verdict;
  expect(exit).toBe(4);
  const distance = finding.seq - seq;
  if (finding.seq === 0) return finding.class;
  return Math.abs(distance) <= 300
    ? `${finding.class} ${distance < 0 ? '' : '+'}${distance}`
    : `${finding.class} @${finding.seq}`;
}
