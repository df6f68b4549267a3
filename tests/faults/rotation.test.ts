import { mkdtempSync, rmSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { inPairs, NOT_ACKNOWLEDGED, NOT_PERSISTED } from './kit/cases.js';
import { Disk, seeded } from './kit/disk.js';
import { buildFaultLibrary } from './kit/library.js';
import type { Recorded } from './kit/recording.js';
import { sitesOf, withLedger, type Site, type WrittenLedger, type Writing } from './kit/written-ledger.js';

const library = buildFaultLibrary();
const preload = 'path' in library ? library.path : '';
const absent = 'missing' in library ? ` (not here: ${library.missing})` : '';
const isLong = process.env['SUB_LONG'] === '1';
const DURABILITIES = isLong ? (['fsync', 'process'] as const) : (['fsync'] as const);
type Durability = (typeof DURABILITIES)[number];
/** One rotation and a seal behind it; in the long form two. */
const WAVES = isLong ? 74 : 40;
const ROTATIONS = isLong ? 2 : 1;
const CUTS = Number(process.env['POWER_CUTS'] ?? (isLong ? 3000 : 12));
/** Every file but the write-ahead log, which every commit writes to. */
const FILES = /^\*\/(?:ledger\.db(?:-journal|\.next.*)?$|segments|keys|state)|^\*$/;
const rotating = (durability: Durability): Writing => ({ durability, waves: WAVES, segmentBytes: 1 });

describe.skipIf('missing' in library)(`a file that is followed by another${absent}`, () => {
  const sites = new Map<Durability, Site[]>();
  beforeAll(async () => {
    for (const durability of DURABILITIES) {
      await withLedger(preload, rotating(durability), async (ledger) => {
        expect(await ledger.write()).toBe('0');
        expect(ledger.closed()).toHaveLength(ROTATIONS);
        expect(await ledger.wrong()).toEqual([]);
        const all = sitesOf(ledger, FILES);
        sites.set(durability, all.slice(all.findIndex(({ path }) => path === '*/ledger.db-journal')));
      });
    }
  }, 180_000);

  it('is drafted, linked and renamed, each once a rotation', () => {
    for (const found of sites.values()) {
      const count = (op: string, path: string) =>
        found.filter(({ ops, path: glob }) => ops[0] === op && glob.startsWith(path)).length;
      expect(count('link', '*/segments/') - count('link', '*/segments/.probe')).toBe(ROTATIONS);
      expect(count('rename', '*/ledger.db')).toBe(ROTATIONS);
    }
  });

  it('may fail or end with the process anywhere: nothing that was acknowledged is lost, and the ledger goes on', async () => {
    const modes = [NOT_PERSISTED, NOT_ACKNOWLEDGED, { action: 'kill' }, { action: 'killafter' }] as const;
    const work = [...sites].flatMap(([durability, all]) => {
      const chosen = isLong
        ? all
        : all.filter(
            ({ ops, path }) => ['link', 'rename', 'sync'].includes(ops[0] ?? '') && !/keys|state/.test(path),
          );
      return chosen.flatMap((site, at) =>
        (isLong ? modes : [modes[at % modes.length] ?? NOT_PERSISTED]).map((mode) => ({
          durability,
          site,
          mode,
        })),
      );
    });
    const failures: string[] = [];
    await inPairs(work, async ({ durability, site: { ops, path, nth }, mode }) => {
      await withLedger(preload, rotating(durability), async (ledger) => {
        const name = `${durability}: ${String(ops[0])} ${path} #${nth} ${mode.action}`;
        try {
          // A lone star would be every path, and is the folder itself.
          const glob = path === '*' ? ledger.root : path;
          await ledger.write([{ ...mode, ops, path: glob, first: nth, last: nth }]);
          const wrong = await ledger.wrong();
          if (wrong.length > 0) failures.push(`${name}: ${wrong.join('; ')}`);
        } catch (error) {
          failures.push(`${name}: ${String(error)}`);
        }
      });
    });
    if (isLong) console.log(`rotation: ${work.length} cases, ${failures.length} failures`);
    expect(failures).toEqual([]);
    expect(work.length).toBeGreaterThan(10);
  }, 3_600_000);

  it('survives a power cut at any moment of it, whatever of the unsynced is lost', async () => {
    for (const durability of DURABILITIES) {
      await withLedger(preload, rotating(durability), async (ledger) => {
        const operations = await ledger.record();
        const failures = await cutPower(ledger, operations, durability === 'fsync');
        if (isLong)
          console.log(
            `rotation, ${durability}: ${operations.length} operations, ${CUTS} cuts, ${failures.length} failures`,
          );
        expect(failures).toEqual([]);
      });
    }
  }, 7_200_000);
});

/** Half of the cuts where files are closed and begun: they are a small part of all that is written. */
async function cutPower(
  ledger: WrittenLedger,
  operations: readonly Recorded[],
  keepsPromises: boolean,
): Promise<string[]> {
  const moments = operations.flatMap(({ path, other }, at) =>
    /\.next|segments|-journal/.test(path + other) ? [at] : [],
  );
  const cuts = Array.from({ length: CUTS }, (_, seed) => {
    const random = seeded(seed + 1);
    const near = random() < 0.5 ? moments[Math.floor(random() * moments.length)] : undefined;
    const at = (near ?? Math.floor(random() * operations.length)) + Math.floor(random() * 8);
    return { seed: seed + 1, random, at: Math.min(at, operations.length) };
  }).toSorted((a, b) => a.at - b.at);
  const disk = new Disk([ledger.root]);
  const noted: string[] = [];
  const failures: string[] = [];
  let done = 0;
  for (const { seed, random, at } of cuts) {
    for (const operation of operations.slice(done, at)) {
      disk.take(operation);
      noted.push(...ledger.notedBy(operation));
    }
    done = Math.max(done, at);
    // Before the first commit there is nothing that could be lost, and no line in heads.log.
    if (noted.length === 0) continue;
    const target = mkdtempSync(`${ledger.root}-cut-`);
    try {
      disk.cutPower(random, ledger.root, target);
      const wrong = await ledger.wrongAt(target, keepsPromises ? noted : []);
      if (wrong.length > 0) failures.push(`seed ${seed}, operation ${at}: ${wrong.join('; ')}`);
    } catch (error) {
      failures.push(`seed ${seed}, operation ${at}: ${String(error)}`);
    } finally {
      rmSync(target, { recursive: true, force: true });
    }
  }
  return failures;
}
