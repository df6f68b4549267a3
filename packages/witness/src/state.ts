import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { isSublError, SublError, type VerifierKey, type CheckpointText } from '@subluminal/core-types';
import { openDatabase, openLogNote } from '@subluminal/ledger';
import { assertPrivateFile, assertPrivateFolder, readOwnText } from '@subluminal/ipc';
import { writePrivateFile } from '@subluminal/gateway';

/** Notes of each kind that are kept as evidence: not more of them, whoever sends them. */
const MAX_EVIDENCE = 64;
/** More than a request may hold. */
const MAX_MEMORY = 1 << 20;

/**
 * The memory of a witness, in a folder of its own: its key, and of each log the newest checkpoint that it
 * cosigned. The folder is locked against every other process: two witnesses with one memory each would sign
 * two histories.
 */
export class WitnessState {
  readonly privateKey: KeyObject;
  readonly #folder: string;
  readonly #lock: Database;

  /**
   * Opens the folder (0700), or makes it with a fresh key. Throws `already_running`, `home_unsafe`,
   * `key_missing`.
   */
  constructor(folder: string) {
    makeFolder(folder);
    assertPrivateFolder(folder);
    this.#folder = folder;
    this.#lock = lock(join(folder, 'lock'));
    try {
      this.privateKey = loadKey(
        join(folder, 'key'),
        readdirSync(folder).some((name) => name.startsWith('log-')),
      );
    } catch (error) {
      this.#lock.close();
      throw error;
    }
  }

  get publicKey(): KeyObject {
    return createPublicKey(this.privateKey);
  }

  /**
   * The newest checkpoint of a log that was cosigned; undefined before the first. Throws `failed` where it is
   * damaged, `home_unsafe` where it cannot be trusted.
   */
  latest(log: VerifierKey): CheckpointText | undefined {
    const path = this.#pathOf(log);
    // Only a file that is not there is no memory: one that cannot be looked at, or a link to nowhere, must
    // not be one.
    const note = readOwnText(path, { maxBytes: MAX_MEMORY, forbidden: 0o022 });
    if (note === undefined) return undefined;
    const checkpoint = openLogNote(note, log);
    if (typeof checkpoint !== 'string') return checkpoint;
    throw new SublError('failed', `the memory of \`${log.name}\` in \`${path}\` is damaged: ${checkpoint}`);
  }

  /** Replaces the checkpoint of a log. When this returns it survives power loss. */
  remember(log: VerifierKey, note: string): void {
    writePrivateFile(this.#pathOf(log), note);
  }

  /**
   * Keeps a note that a log signed and that was not cosigned. `fork`: it names another root for a size that
   * was cosigned, which proves that the log signs two histories. `refused`: its proof did not verify; anyone
   * can bring that about.
   */
  keepEvidence(kind: 'fork' | 'refused', note: string): void {
    const name = `${kind}-${createHash('sha256').update(note).digest('hex').slice(0, 32)}`;
    const kept = readdirSync(this.#folder).filter((file) => file.startsWith(`${kind}-`));
    if (kept.length < MAX_EVIDENCE && !kept.includes(name)) writePrivateFile(join(this.#folder, name), note);
  }

  close(): void {
    this.#lock.close();
  }

  /** One file a log and key: a log with another key is another log. */
  #pathOf(log: VerifierKey): string {
    const id = createHash('sha256').update(`${log.name}\n${log.keyId}`).digest('hex').slice(0, 32);
    return join(this.#folder, `log-${id}`);
  }
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new SublError('failed', `the folder \`${folder}\` cannot be made`, {
      cause,
      help: 'name a folder for `--state`, or a place where one can be made',
    });
  }
}

/** The system lets go of the lock when the process dies, however it dies. */
function lock(path: string): Database {
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
  const db = openDatabase(path, { fileMustExist: true, timeout: 0 });
  try {
    db.pragma('locking_mode=EXCLUSIVE');
    db.exec('BEGIN EXCLUSIVE; CREATE TABLE IF NOT EXISTS held(id INTEGER); COMMIT');
    return db;
  } catch (cause) {
    db.close();
    throw new SublError('already_running', `another witness uses \`${dirname(path)}\``, {
      cause,
      help: 'stop it first, or give this one a folder of its own',
    });
  }
}

function loadKey(path: string, mustExist: boolean): KeyObject {
  if (!existsSync(path)) {
    if (mustExist) {
      throw new SublError('key_missing', `there is a memory of logs, but not the key \`${path}\``, {
        help: 'restore the key; a new one is another witness, and begins in a folder of its own',
      });
    }
    const { privateKey } = generateKeyPairSync('ed25519');
    writePrivateFile(path, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), {
      exclusive: true,
    });
  }
  try {
    const key = createPrivateKey(readFileSync(path));
    if (key.asymmetricKeyType === 'ed25519') {
      assertPrivateFile(path);
      return key;
    }
  } catch (cause) {
    if (isSublError(cause)) throw cause;
    throw new SublError('key_missing', `\`${path}\` does not hold a key`, { cause });
  }
  throw new SublError('key_missing', `\`${path}\` holds a key of another kind than Ed25519`);
}
