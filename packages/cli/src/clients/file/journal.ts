import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  listAt,
  numberAt,
  parseJson,
  sha256Hex,
  SublError,
  textAt,
  textsAt,
  type JsonObject,
  type JsonValue,
} from '@subluminal/core-types';
import { assertOurs, isMissing, processIdentity } from '@subluminal/ipc';
import { whyOf } from '../../output/system-error.js';
import type { ClientName, FileScope, WrittenEntry } from '../client.js';
import { replaceFile } from '../../files/replace.js';

const FORMAT = 'subluminal/imports/v1';
const HASH = /^[0-9a-f]{64}$/;
/** A copy that was being written, and by whom. */
const DRAFT = /^[0-9a-f]{64}\.([0-9]{1,10})\.new$/;

/** The subject of a journal: the servers of a client, or its hooks. */
export type JournalName = ClientName | `${ClientName}-hooks`;

/** One entry that was routed: the source texts before and after. */
export interface EntryRecord extends WrittenEntry {
  readonly name: string;
  readonly pointer: readonly string[];
}

/**
 * The changes of one file. They are recorded before the file is written, so that they may never have
 * happened.
 */
export interface FileRecord {
  readonly path: string;
  readonly scope: FileScope;
  readonly project?: string;
  /** Of the file itself, where links were followed. */
  readonly real: string;
  /** The SHA-256 of the file without anything of ours: of a copy that is kept beside the journal. */
  readonly base: string;
  /** The SHA-256 of what was written. */
  readonly after: string;
  /** RFC 3339. */
  readonly at: string;
  /** Of a file of hooks: it was there before them, so that it stays where they go, even if it was empty. */
  readonly existed?: true;
  /** The mode that it had, where it was closed to others for a token. */
  readonly mode?: number;
  readonly entries: readonly EntryRecord[];
}

/**
 * The changes of the files of one client: `imports/<client>.json` of the home, with copies of the files in
 * `imports/backup`. All of it may hold secrets of configurations; the files are 0600 in 0700 folders.
 */
export class Journal {
  readonly #folder: string;
  readonly #client: JournalName;
  readonly #pid: number;

  constructor(home: string, client: JournalName, pid: number) {
    this.#folder = join(home, 'imports');
    this.#client = client;
    this.#pid = pid;
  }

  /**
   * The folder whose being there says that one process changes files of this client; undefined where there is
   * no home, and so nothing that two could disagree about. The folder above it is made.
   */
  lockPath(): string | undefined {
    if (!existsSync(dirname(this.#folder))) return undefined;
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    return join(this.#folder, `${this.#client}.lock`);
  }

  /**
   * Every file that is recorded. Throws `failed` for a journal that cannot be read; it is then not written
   * either.
   */
  files(): readonly FileRecord[] {
    let text: string;
    try {
      assertOurs(this.path, statSync(this.path), 0o077);
      text = readFileSync(this.path, 'utf8');
    } catch (error) {
      if (isMissing(error)) return [];
      if (error instanceof SublError) throw error;
      throw this.#broken(whyOf(error), error);
    }
    try {
      return recordsOf(parseJson(text));
    } catch (error) {
      throw this.#broken(whyOf(error), error);
    }
  }

  /** The record of one file. */
  file(path: string): FileRecord | undefined {
    return this.files().find((record) => record.path === path);
  }

  /**
   * Keeps a copy of bytes and, when that is durable, puts the record in the place of the file's older one.
   */
  record(record: FileRecord, base: Buffer): void {
    if (sha256Hex(base) !== record.base) throw new RangeError('another base');
    this.#write(join(this.#folder, 'backup', record.base), base);
    this.#save([...this.files().filter(({ path }) => path !== record.path), record]);
  }

  /**
   * Puts a record in the place of the file's older one, whose copy stays; without one the file is forgotten.
   */
  replace(path: string, record?: FileRecord): void {
    const others = this.files().filter((one) => one.path !== path);
    this.#save(record === undefined ? others : [...others, record]);
    this.#dropCopies();
  }

  /** The copy that a record names. Throws `failed` where it is not what it was. */
  copy(record: FileRecord): Buffer {
    const path = join(this.#folder, 'backup', record.base);
    try {
      const bytes = readFileSync(path);
      if (sha256Hex(bytes) === record.base) return bytes;
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    throw new SublError('failed', `the copy \`${path}\` is not there as it was written`, {
      help: 'the file was not touched',
    });
  }

  /** The journal itself. */
  get path(): string {
    return join(this.#folder, `${this.#client}.json`);
  }

  #save(files: readonly FileRecord[]): void {
    if (files.length === 0) {
      rmSync(this.path, { force: true });
      return;
    }
    const journal = { format: FORMAT, client: this.#client, files };
    this.#write(this.path, Buffer.from(`${JSON.stringify(journal, null, 2)}\n`));
  }

  #write(path: string, bytes: Buffer): void {
    mkdirSync(join(this.#folder, 'backup'), { recursive: true, mode: 0o700 });
    replaceFile(path, `${path}.${this.#pid}.new`, { bytes, mode: 0o600 });
  }

  /**
   * Copies that no journal of the home names, and those that a process which is gone began, hold secrets for
   * nothing.
   */
  #dropCopies(): void {
    const folder = join(this.#folder, 'backup');
    if (!existsSync(folder)) return;
    const journals = readdirSync(this.#folder).filter((name) => name.endsWith('.json'));
    const texts = journals.map((name) => readFileSync(join(this.#folder, name), 'utf8'));
    for (const name of readdirSync(folder)) {
      const [, pid] = DRAFT.exec(name) ?? [];
      const isOver = pid !== undefined && processIdentity(Number(pid)) === undefined;
      const isUnnamed = HASH.test(name) && !texts.some((text) => text.includes(name));
      if (isOver || isUnnamed) rmSync(join(folder, name), { force: true });
    }
  }

  #broken(why: string, cause: unknown): SublError {
    return new SublError('failed', `\`${this.path}\` cannot be read: ${why}`, {
      cause,
      help: 'it says what `sub import` changed, and is needed to take it back',
    });
  }
}

function recordsOf(value: JsonValue): readonly FileRecord[] {
  if (textAt(value, 'format') !== FORMAT) throw new Error(`it is not of the form ${FORMAT}`);
  return listAt(value, 'files').map((file) => {
    const project = textAt(file, 'project');
    const record = {
      path: textAt(file, 'path'),
      scope: scopeOf(textAt(file, 'scope')),
      ...(project === '' ? {} : { project }),
      real: textAt(file, 'real'),
      base: textAt(file, 'base'),
      after: textAt(file, 'after'),
      at: textAt(file, 'at'),
      ...(textAt(file, 'existed') === 'true' ? ({ existed: true } as const) : {}),
      ...modeOf(file),
      entries: listAt(file, 'entries').map(entryOf),
    };
    if (record.path === '' || !HASH.test(record.base) || !HASH.test(record.after)) {
      throw new Error('a record in it is not whole');
    }
    return record;
  });
}

function modeOf(file: JsonObject): Pick<FileRecord, 'mode'> {
  const mode = numberAt(file, 'mode');
  if (mode === undefined) return {};
  if (!Number.isInteger(mode) || mode < 0 || mode > 0o777) throw new Error('a record in it is not whole');
  return { mode };
}

function entryOf(entry: JsonObject): EntryRecord {
  const record = {
    name: textAt(entry, 'name'),
    pointer: textsAt(entry, 'pointer'),
    original: textAt(entry, 'original'),
    written: textAt(entry, 'written'),
  };
  if (record.pointer.length === 0 || record.original === '') throw new Error('a record in it is not whole');
  return record;
}

function scopeOf(text: string): FileScope {
  if (text === 'user' || text === 'profile' || text === 'project') return text;
  throw new Error('a record in it is not whole');
}
