import { beforeAll, describe, expect, it } from 'vitest';
import { inPairs, NOT_ACKNOWLEDGED, NOT_PERSISTED } from './kit/cases.js';
import { buildFaultLibrary } from './kit/library.js';
import { sitesOf, withLedger, type Site, type Writing } from './kit/written-ledger.js';

const library = buildFaultLibrary();
const preload = 'path' in library ? library.path : '';
const absent = 'missing' in library ? ` (not here: ${library.missing})` : '';
const isLong = process.env['SUB_LONG'] === '1';
const DURABILITIES = isLong ? (['fsync', 'process'] as const) : (['process'] as const);
type Durability = (typeof DURABILITIES)[number];
const WAVES = 74;
/** Two seals and the one of the shutdown, each with a key of its own. */
const ENTRIES = WAVES * 32 + 3;
const KEYS_AND_HEADS = /^\*\/(keys|state)/;
const past = (durability: Durability): Writing => ({ durability, waves: WAVES });

describe.skipIf('missing' in library)(`what goes on beside the commits that follow a seal${absent}`, () => {
  const sites = new Map<Durability, Site[]>();
  beforeAll(async () => {
    for (const durability of DURABILITIES) {
      await withLedger(preload, past(durability), async (sealing) => {
        expect(await sealing.write()).toBe('0');
        expect(await sealing.wrong()).toEqual([]);
        expect(sealing.entries()).toBe(ENTRIES);
        sites.set(durability, sitesOf(sealing, KEYS_AND_HEADS));
      });
    }
  }, 180_000);

  it('changes hands once for each seal, and remembers outside', () => {
    for (const found of sites.values()) {
      const count = (op: string, path: string) =>
        found.filter(({ ops, path: glob }) => ops[0] === op && glob === path).length;
      expect(count('rename', '*/keys/seal')).toBe(3);
      expect(count('write', '*/keys/seal.next')).toBe(3);
      // The fingerprint, the first commit, two seals on the way and the shutdown.
      expect(count('write', '*/state/heads.log')).toBe(5);
    }
  });

  it('may fail or end with the process anywhere: nothing that was acknowledged is lost, no key, no line', async () => {
    const modes = [NOT_PERSISTED, NOT_ACKNOWLEDGED, { action: 'kill' }, { action: 'killafter' }] as const;
    const work = [...sites].flatMap(([durability, all]) => {
      // Otherwise of each kind the one that belongs to the second seal, with one mode in turn.
      const chosen = isLong
        ? all
        : all.filter(
            ({ ops, path, nth }) => nth === (path === '*/state/heads.log' && ops[0] !== 'open' ? 4 : 2),
          );
      return chosen.flatMap((site, at) =>
        (isLong ? modes : [modes[at % 2] ?? NOT_PERSISTED, modes[2 + (at % 2)] ?? NOT_PERSISTED]).map(
          (mode) => ({
            durability,
            site,
            mode,
          }),
        ),
      );
    });
    const failures: string[] = [];
    const ends = new Set<string>();
    await inPairs(work, async ({ durability, site: { ops, path, nth }, mode }) => {
      await withLedger(preload, past(durability), async (sealing) => {
        const name = `${durability}: ${ops[0]} ${path} #${nth} ${mode.action}`;
        try {
          const end = await sealing.write([{ ...mode, ops, path, first: nth, last: nth }]);
          ends.add(end);
          const wrong = await sealing.wrong();
          if (wrong.length > 0) failures.push(`${name}: ${wrong.join('; ')}`);
        } catch (error) {
          failures.push(`${name}: ${String(error)}`);
        }
      });
    });
    if (isLong) console.log(`sealing: ${work.length} cases, ${failures.length} failures`);
    expect(failures).toEqual([]);
    expect(work.length).toBeGreaterThan(10);
    // What fails while entries come is waited out; what only the shutdown meets is an error of its own.
    expect([...ends].filter((end) => !['0', '1', 'SIGKILL'].includes(end))).toEqual([]);
    expect([...ends]).toEqual(expect.arrayContaining(['0', 'SIGKILL']));
  }, 3_600_000);
});
