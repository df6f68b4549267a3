import { SublError } from '@subluminal/core-types';
import { createPublicKey, randomBytes, type KeyObject } from 'node:crypto';
import { closeSync, linkSync, lstatSync, openSync, unlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { signCheckpoint } from '../head/note.js';
import { syncFolder } from '../files/sync-folder.js';
import { Frontier } from '../merkle/frontier.js';
import { APPLICATION_ID, SCHEMA, SCHEMA_VERSION, schemaHash } from '../schema/ddl.js';
import { VIEWS } from '../schema/views.js';
import { SealKeyFile } from '../seal/key-file.js';
import { firstBase, writeBase } from '../segments/base.js';
import { genesisRecord, isLedgerId, readGenesis, type Genesis } from './record.js';
import { openDatabase } from '../sqlite/open.js';

/** The facts of a new ledger. */
export interface CreateLedgerOptions {
  readonly path: string;
  /** `^[A-Za-z0-9_-]{1,64}$`. */
  readonly ledgerId: string;
  readonly createdMs: number;
  /** Version of Subluminal. */
  readonly version: string;
  /** Ed25519 private key; its public half goes into the genesis record. */
  readonly signingKey: KeyObject;
  /** Where the evolving seal key goes. A key that is there already becomes the first one. */
  readonly sealKeyPath: string;
}

/**
 * Creates an empty ledger: 0600, complete or not there at all. It never replaces anything, not even an empty
 * file or a leftover journal: a ledger that vanished must not be followed by a fresh one in silence.
 *
 * @throws SublError `ledger_incomplete` where anything exists, `invalid_request` for an id that no preimage
 * may hold.
 */
export function createLedger(options: CreateLedgerOptions): Genesis {
  const { path, ledgerId, signingKey } = options;
  if (!isLedgerId(ledgerId))
    throw new SublError('invalid_request', `\`${ledgerId}\` cannot be the id of a ledger`);
  const existing = ['', '-wal', '-shm', '-journal'].map((end) => path + end).find(isThere);
  if (existing !== undefined) throw taken(existing);
  const { createdMs, version } = options;
  const firstSealKey = new SealKeyFile(options.sealKeyPath).first();
  const record = genesisRecord({
    ledgerId,
    createdMs,
    version,
    publicKey: createPublicKey(signingKey),
    sealKey: createPublicKey(firstSealKey),
    schemaHash: schemaHash(),
  });
  const genesis = readGenesis(record);
  if (genesis === undefined) throw new SublError('invalid_request', 'the genesis record does not read back');

  const draft = `${path}.new-${randomBytes(6).toString('hex')}`;
  closeSync(openSync(draft, 'wx', 0o600));
  try {
    const keys = { log: signingKey, seal: firstSealKey };
    fillDraft(
      draft,
      record,
      genesis,
      signCheckpoint(ledgerId, { size: 0, root: new Frontier().root() }, keys),
    );
    // A link fails where a file exists, unlike a rename: two creators cannot both win.
    linkSync(draft, path);
  } catch (error) {
    if (isThere(path)) throw taken(path, error);
    throw error;
  } finally {
    unlinkSync(draft);
  }
  syncFolder(dirname(path));
  return genesis;
}

function fillDraft(draft: string, record: string, genesis: Genesis, note: string): void {
  const db = openDatabase(draft, { fileMustExist: true });
  try {
    db.pragma('synchronous=FULL');
    db.transaction(() => {
      db.pragma(`application_id=${APPLICATION_ID}`);
      db.pragma(`user_version=${SCHEMA_VERSION}`);
      for (const statement of [...SCHEMA, ...VIEWS]) db.exec(statement);
      db.prepare('INSERT INTO genesis(id, record) VALUES(1, ?)').run(record);
      writeBase(db, firstBase(genesis));
      db.prepare("INSERT INTO head VALUES(1, ?, x'', '[]', 0, x'')").run(note);
    })();
    db.pragma('journal_mode=WAL');
  } finally {
    db.close();
  }
}

/** Also true for a link that points nowhere. */
function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function taken(file: string, cause?: unknown): SublError {
  const help =
    'restore the ledger that belongs there, or begin anew with `sub up --new-ledger`, which sets what is left aside';
  return new SublError('ledger_incomplete', `\`${file}\` exists: a new ledger never replaces one`, {
    cause,
    help,
  });
}
