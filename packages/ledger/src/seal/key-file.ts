import { SublError } from '@subluminal/core-types';
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder, syncFolderAside } from '../files/sync-folder.js';
import { keyText } from './record.js';

/** The public halves of what stands in the key's file and in the one that waits for its commit, base64. */
export interface SealKeysFound {
  readonly current: string | undefined;
  readonly next: string | undefined;
}

/**
 * The evolving seal key: `path` holds the key of the next seal, `path.next` its successor from some time
 * before that seal until the hand-over is done. A file of its own, since a deleted key would stay readable in
 * a database's log.
 */
export class SealKeyFile {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** The first key of a ledger. One that a cut-off creation left behind is taken: it has sealed nothing. */
  first(): KeyObject {
    const there = readKey(this.#path);
    if (there !== undefined) return there;
    const { privateKey } = generateKeyPairSync('ed25519');
    const draft = `${this.#path}.new-${process.pid}`;
    writeKey(draft, privateKey);
    try {
      // A link fails where a file exists: a key is never replaced by another first one.
      linkSync(draft, this.#path);
    } finally {
      rmSync(draft);
    }
    syncFolder(dirname(this.#path));
    return privateKey;
  }

  /**
   * The key in force, whose public half is `expected`. Exactly two states are accepted: it stands in its file
   * (and what waits belongs to a commit that never was), or it waits and the rename did not happen, which is
   * then done.
   *
   * @returns the key, or a sentence on what is there instead.
   * @throws SublError `key_missing` where there is neither file.
   */
  settle(expected: string): KeyObject | string {
    const current = readKey(this.#path);
    if (current !== undefined && publicText(current) === expected) {
      rmSync(this.#next, { force: true });
      return current;
    }
    const next = readKey(this.#next);
    if (next !== undefined && publicText(next) === expected) {
      this.promote();
      return next;
    }
    if (existsSync(this.#path) || existsSync(this.#next))
      return `the seal key \`${this.#path}\` is not the one that its newest seal names`;
    throw new SublError('key_missing', `there is a ledger, but not its seal key \`${this.#path}\``, {
      help: 'restore the key from the backup that the ledger came from; a new key cannot continue its seals',
    });
  }

  /** Makes the successor and writes it beside the key; it is on the disk when this returns. */
  stage(): KeyObject {
    const { privateKey } = generateKeyPairSync('ed25519');
    writeKey(this.#next, privateKey);
    syncFolder(dirname(this.#path));
    return privateKey;
  }

  /**
   * Puts the successor in the key's place. The old key's bytes are overwritten where they stood, as far as a
   * file system lets one: a journal, a snapshot or a flash disk may keep them.
   */
  promote(): void {
    const old = this.#isOverwritten() ? openSync(this.#path, 'r+') : undefined;
    try {
      renameSync(this.#next, this.#path);
      syncFolder(dirname(this.#path));
      if (old === undefined) return;
      writeSync(old, Buffer.alloc(fstatSync(old).size), 0, null, 0);
      fsyncSync(old);
    } finally {
      if (old !== undefined) closeSync(old);
    }
  }

  /** As `stage`, without holding up this thread. */
  async stageAside(): Promise<KeyObject> {
    const { privateKey } = generateKeyPairSync('ed25519');
    await rm(this.#next, { force: true });
    await writeFile(this.#next, textOf(privateKey), { flag: 'wx', mode: 0o600, flush: true });
    await syncFolderAside(dirname(this.#path));
    return privateKey;
  }

  /** Whether `key` is what waits: a seal must not name a key that somebody took away meanwhile. */
  isStaged(key: KeyObject): boolean {
    return existsSync(this.#next) && readFileSync(this.#next, 'utf8') === textOf(key);
  }

  /** As `promote`, without holding up this thread. */
  async promoteAside(): Promise<void> {
    const old = this.#isOverwritten() ? await open(this.#path, 'r+') : undefined;
    try {
      await rename(this.#next, this.#path);
      await syncFolderAside(dirname(this.#path));
      if (old === undefined) return;
      await old.write(Buffer.alloc((await old.stat()).size), 0, null, 0);
      await old.sync();
    } finally {
      await old?.close();
    }
  }

  /** Windows replaces no file that is open. What a link leads to is no key of ours to overwrite. */
  #isOverwritten(): boolean {
    return (
      process.platform !== 'win32' && lstatSync(this.#path, { throwIfNoEntry: false })?.isFile() === true
    );
  }

  /** What is there, for a verification. */
  found(): SealKeysFound {
    return { current: foundIn(this.#path), next: foundIn(this.#next) };
  }

  get #next(): string {
    return `${this.#path}.next`;
  }
}

function foundIn(path: string): string | undefined {
  const key = readKey(path);
  return key === undefined ? undefined : publicText(key);
}

/** Undefined where there is no Ed25519 key: a crash may have cut the file off that waits. */
function readKey(path: string): KeyObject | undefined {
  if (!existsSync(path)) return undefined;
  const text = readFileSync(path);
  try {
    const key = createPrivateKey(text);
    return key.asymmetricKeyType === 'ed25519' ? key : undefined;
  } catch {
    return undefined;
  }
}

function writeKey(path: string, key: KeyObject): void {
  rmSync(path, { force: true });
  const file = openSync(path, 'wx', 0o600);
  try {
    writeSync(file, textOf(key));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function textOf(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function publicText(key: KeyObject): string {
  return keyText(createPublicKey(key));
}
