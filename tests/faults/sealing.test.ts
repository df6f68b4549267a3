import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLedger, openLedger, verifyLedger } from '@subluminal/ledger';
import { beforeAll, describe, expect, it } from 'vitest';
import { inPairs, NOT_ACKNOWLEDGED, NOT_PERSISTED } from './kit/cases.js';
import { FaultControl, type FaultRule } from './kit/control.js';
import { buildFaultLibrary } from './kit/library.js';
import { rowsOf } from './kit/oracle.js';

const WRITER = fileURLToPath(new URL('./kit/sealing-writer.mjs', import.meta.url));
const library = buildFaultLibrary();
const preload = 'path' in library ? library.path : '';
const absent = 'missing' in library ? ` (not here: ${library.missing})` : '';
const isLong = process.env['SUB_LONG'] === '1';
const DURABILITIES = isLong ? (['fsync', 'process'] as const) : (['process'] as const);
type Durability = (typeof DURABILITIES)[number];
/** Two seals and the one of the shutdown, each with a key of its own. */
const ENTRIES = 74 * 32 + 3;

/** A ledger of its own, written by a child process under the fault library. */
class Sealing {
  readonly root = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'sub-s-'));
  readonly control = new FaultControl();
  readonly #notes = join(this.root, 'notes');
  readonly #key = generateKeyPairSync('ed25519').privateKey;
  readonly #path = join(this.root, 'ledger.db');
  readonly #headsLog = join(this.root, 'state', 'heads.log');
  readonly #seal = join(this.root, 'keys', 'seal');

  constructor() {
    mkdirSync(join(this.root, 'keys'), { mode: 0o700 });
    writeFileSync(this.#notes, '');
    createLedger({
      path: this.#path,
      ledgerId: 'sealing',
      createdMs: 1,
      version: '0.1.0',
      signingKey: this.#key,
      sealKeyPath: this.#seal,
    });
  }

  /** Gives how the child ended. */
  async write(durability: Durability, rules: readonly FaultRule[] = []): Promise<string> {
    this.control.set(rules);
    const key = this.#key.export({ format: 'der', type: 'pkcs8' }).toString('base64');
    const child = spawn(
      process.execPath,
      [WRITER, this.#path, this.#headsLog, this.#seal, key, durability, this.#notes],
      {
        env: { ...process.env, ...this.control.env(preload, [this.root]) },
        stdio: ['ignore', 'ignore', 'ignore'],
      },
    );
    const [code, signal]: unknown[] = await once(child, 'close');
    return String(code ?? signal);
  }

  /** Opens and closes the ledger, and says what does not hold. */
  async wrong(): Promise<string[]> {
    const wrong: string[] = [];
    const ledger = await openLedger({
      path: this.#path,
      headsLog: this.#headsLog,
      sealKeyPath: this.#seal,
      signingKey: { privateKey: this.#key },
      durability: 'fsync',
      clock: Date.now,
      writer: 'inline',
    });
    if (ledger.memory !== 'matched') wrong.push(`heads.log is ${ledger.memory}`);
    await ledger.close();
    const report = await verifyLedger(this.#path, { headsLog: this.#headsLog, sealKeyPath: this.#seal });
    if (report.exit !== 0) wrong.push(`verify: ${JSON.stringify(report.finding ?? report.reasons)}`);
    const rows = rowsOf(this.#path);
    const noted = readFileSync(this.#notes, 'latin1').split('\n').slice(0, -1);
    const lost = noted.find(
      (line) => `${line.split(' ')[0]} ${rows[Number(line.split(' ')[0]) - 1]?.leaf}` !== line,
    );
    if (lost !== undefined) wrong.push(`entry ${lost} was acknowledged and is gone`);
    if (existsSync(`${this.#seal}.next`)) wrong.push('a successor is left over');
    return wrong;
  }

  entries(): number {
    return rowsOf(this.#path).length;
  }

  remove(): void {
    this.control.remove();
    rmSync(this.root, { recursive: true, force: true });
  }
}

async function withSealing<T>(use: (sealing: Sealing) => Promise<T>): Promise<T> {
  const sealing = new Sealing();
  try {
    return await use(sealing);
  } finally {
    sealing.remove();
  }
}

type Site = Pick<FaultRule, 'ops' | 'path'> & { readonly nth: number };

/** Every change to keys and heads that such a writer makes. */
function sitesOf({ root, control }: Sealing): Site[] {
  const counts = new Map<string, number>();
  return control.seen().flatMap(({ op, path }): Site[] => {
    const glob = `*${path.slice(root.length)}`;
    if (!/^\*\/(keys|state)/.test(glob)) return [];
    const nth = (counts.get(`${op} ${glob}`) ?? 0) + 1;
    counts.set(`${op} ${glob}`, nth);
    return [{ ops: [op], path: glob, nth }];
  });
}

describe.skipIf('missing' in library)(`what goes on beside the commits that follow a seal${absent}`, () => {
  const sites = new Map<Durability, Site[]>();
  beforeAll(async () => {
    for (const durability of DURABILITIES) {
      await withSealing(async (sealing) => {
        expect(await sealing.write(durability)).toBe('0');
        expect(await sealing.wrong()).toEqual([]);
        expect(sealing.entries()).toBe(ENTRIES);
        sites.set(durability, sitesOf(sealing));
      });
    }
  }, 60_000);

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
      await withSealing(async (sealing) => {
        const name = `${durability}: ${ops[0]} ${path} #${nth} ${mode.action}`;
        try {
          const end = await sealing.write(durability, [{ ...mode, ops, path, first: nth, last: nth }]);
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
