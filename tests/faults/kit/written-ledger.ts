import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLedger, openLedger, verifyLedger, type Durability } from '@subluminal/ledger';
import { programOf } from '../../support/programs.js';
import { FaultControl, type FaultRule } from './control.js';
import { rowsOf } from './oracle.js';
import { readRecording, type Recorded } from './recording.js';

const WRITER = programOf('ledger-writer');

/** How the child writes: so many waves of 32 entries, and when the ledger goes on in another file. */
export interface Writing {
  readonly durability: Durability;
  readonly waves: number;
  /** Never, unless given. */
  readonly segmentBytes?: number;
}

/** A ledger of its own, written by a child process under the fault library. */
export class WrittenLedger {
  readonly root = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'sub-s-'));
  readonly control = new FaultControl();
  readonly #preload: string;
  readonly #writing: Writing;
  readonly #notes = join(this.root, 'notes');
  readonly #key = generateKeyPairSync('ed25519').privateKey;
  readonly #path = join(this.root, 'ledger.db');
  readonly #headsLog = join(this.root, 'state', 'heads.log');
  readonly #seal = join(this.root, 'keys', 'seal');

  constructor(preload: string, writing: Writing) {
    this.#preload = preload;
    this.#writing = writing;
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

  /** Everything that the child did to the disk, behind what was there before it; it ends by itself. */
  async record(): Promise<Recorded[]> {
    const before = this.#there(this.root);
    const file = join(this.control.folder, 'record');
    const end = await this.write([], { FAULT_RECORD: file });
    if (end !== '0') throw new Error(`the writer ended with ${end}`);
    return [...before, ...readRecording(file)];
  }

  /** What lies in a folder, as operations that are all synced. */
  #there(folder: string): Recorded[] {
    const done = (op: Recorded['op'], path: string, bytes = Buffer.alloc(0)): Recorded => ({
      op,
      path,
      other: '',
      at: 0,
      bytes,
    });
    const entries = readdirSync(folder, { withFileTypes: true }).flatMap((entry): Recorded[] => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return [done('mkdir', path), ...this.#there(path)];
      return [done('create', path), done('write', path, readFileSync(path)), done('sync', path)];
    });
    return [...entries, done('sync', folder)];
  }

  /** The entries that an operation of the child acknowledged. */
  notedBy({ op, path, bytes }: Recorded): string[] {
    return op === 'write' && path === this.#notes ? bytes.toString('latin1').split('\n').slice(0, -1) : [];
  }

  /** Gives how the child ended. */
  async write(rules: readonly FaultRule[] = [], env: Readonly<Record<string, string>> = {}): Promise<string> {
    this.control.set(rules);
    const key = this.#key.export({ format: 'der', type: 'pkcs8' }).toString('base64');
    const { durability, waves, segmentBytes = Number.POSITIVE_INFINITY } = this.#writing;
    const child = spawn(
      process.execPath,
      [
        WRITER,
        this.#path,
        this.#headsLog,
        this.#seal,
        key,
        durability,
        this.#notes,
        String(waves),
        String(segmentBytes),
      ],
      {
        env: { ...process.env, ...this.control.env(this.#preload, [this.root]), ...env },
        stdio: ['ignore', 'ignore', 'ignore'],
      },
    );
    const [code, signal]: unknown[] = await once(child, 'close');
    return String(code ?? signal);
  }

  /** Opens and closes the ledger, and says what does not hold. */
  wrong(): Promise<string[]> {
    const noted = readFileSync(this.#notes, 'latin1').split('\n').slice(0, -1);
    return this.wrongAt(this.root, noted);
  }

  /**
   * The same of what lies at another place; `noted` are the entries that were acknowledged: `<seq> <leaf>`.
   */
  async wrongAt(root: string, noted: readonly string[]): Promise<string[]> {
    const at = (file: string): string => file.replace(this.root, root);
    const [path, headsLog, sealKeyPath] = [this.#path, this.#headsLog, this.#seal].map(at);
    if (path === undefined || headsLog === undefined || sealKeyPath === undefined)
      return ['nothing to look at'];
    const wrong: string[] = [];
    const { durability } = this.#writing;
    const signingKey = { privateKey: this.#key };
    const ledger = await openLedger({
      path,
      headsLog,
      sealKeyPath,
      signingKey,
      durability,
      clock: Date.now,
    });
    // Before anybody heard of an entry there need not be one, nor a heads.log that remembers it.
    const isUntold = noted.length === 0;
    if (ledger.memory !== 'matched' && !isUntold) wrong.push(`heads.log is ${ledger.memory}`);
    await ledger.close();
    const report = await verifyLedger(path, { headsLog, sealKeyPath });
    const isEmpty = isUntold && report.entries === 0 && report.verdict === 'unproven';
    if (report.exit !== 0 && !isEmpty)
      wrong.push(`verify: ${JSON.stringify(report.finding ?? report.reasons)}`);
    const rows = rowsOf(path);
    const lost = noted.find(
      (line) => `${line.split(' ')[0]} ${rows[Number(line.split(' ')[0]) - 1]?.leaf}` !== line,
    );
    if (lost !== undefined) wrong.push(`entry ${lost} was acknowledged and is gone`);
    if (existsSync(`${sealKeyPath}.next`)) wrong.push('a successor is left over');
    if (existsSync(`${path}.next`)) wrong.push('a draft is left over');
    return wrong;
  }

  /** Names of the closed files. */
  closed(): string[] {
    const folder = join(this.root, 'segments');
    return existsSync(folder) ? readdirSync(folder) : [];
  }

  entries(): number {
    return rowsOf(this.#path).length;
  }

  remove(): void {
    this.control.remove();
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** Uses one and removes it. */
export async function withLedger<T>(
  preload: string,
  writing: Writing,
  use: (ledger: WrittenLedger) => Promise<T>,
): Promise<T> {
  const ledger = new WrittenLedger(preload, writing);
  try {
    return await use(ledger);
  } finally {
    ledger.remove();
  }
}

/** One change to a file: the `nth` of its kind there. */
export type Site = Pick<FaultRule, 'ops' | 'path'> & { readonly nth: number };

/** Every change that such a writer makes to the paths that `pattern` knows, given from its folder on. */
export function sitesOf({ root, control }: WrittenLedger, pattern: RegExp): Site[] {
  const counts = new Map<string, number>();
  return control.seen().flatMap(({ op, path }): Site[] => {
    const glob = `*${path.slice(root.length)}`;
    if (!pattern.test(glob)) return [];
    const nth = (counts.get(`${op} ${glob}`) ?? 0) + 1;
    counts.set(`${op} ${glob}`, nth);
    return [{ ops: [op], path: glob, nth }];
  });
}
