import SqliteDatabase, { type Database } from 'better-sqlite3';
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createLedger,
  verifyLedger,
  type EntryInput,
  type Ledger,
  type OpenLedgerOptions,
  type VerifyReport,
} from '../src/index.js';
import { openWriter } from '../src/schema/connection.js';
import { openLedgerWith } from '../src/writer/ledger.js';
import { StoreDriver } from '../src/writer/store-driver.js';
import { WorkerDriver } from '../src/writer/worker-driver.js';

/** The built worker: a test runs the sources, a worker thread needs a file that Node can load. */
export const WORKER_URL = new URL('../dist/writer/worker-main.js', import.meta.url);

/** A fixed Ed25519 key, so that signed texts can stand literally in tests. */
export const SIGNING_KEY: KeyObject = keyFromSeed(7);

export function keyFromSeed(byte: number): KeyObject {
  const prefix = Buffer.from('302e020100300506032b657004220420', 'hex');
  return createPrivateKey({
    key: Buffer.concat([prefix, Buffer.alloc(32, byte)]),
    format: 'der',
    type: 'pkcs8',
  });
}

/** Writes a private key as a key file holds it. */
export function writeKeyFile(path: string, key: KeyObject): void {
  writeFileSync(path, key.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
}

/** Opens a ledger with its store in this thread: a test runs the sources. */
export function openHere(options: OpenLedgerOptions): Promise<Ledger> {
  return openLedgerWith(options, (start) => new StoreDriver({ ...start, openDatabase: openWriter }));
}

/** Opens a ledger as the product does, with the store of the last build in a thread of its own. */
export function openInThread(options: OpenLedgerOptions): Promise<Ledger> {
  return openLedgerWith(options, (start) => new WorkerDriver(start, WORKER_URL));
}

/** A folder with one ledger in it, removed by `remove`. */
export class Scratch {
  readonly folder = mkdtempSync(join(tmpdir(), 'subl-ledger-'));
  readonly path = join(this.folder, 'ledger.db');
  readonly headsLog = join(this.folder, 'state', 'heads.log');
  readonly keys = mkdtempSync(join(tmpdir(), 'subl-keys-'));
  readonly sealKey = join(this.keys, 'seal');
  nowMs = 1_760_000_000_000;
  #step = 1;

  create(): void {
    createLedger({
      path: this.path,
      ledgerId: 'test-ledger',
      createdMs: 1,
      version: '0.1.0',
      signingKey: SIGNING_KEY,
      sealKeyPath: this.sealKey,
    });
  }

  open(options: Partial<OpenLedgerOptions> = {}, openAs = openHere): Promise<Ledger> {
    return openAs({
      path: this.path,
      signingKey: { privateKey: SIGNING_KEY },
      sealKeyPath: this.sealKey,
      headsLog: this.headsLog,
      durability: 'process',
      clock: () => (this.nowMs += this.#step),
      ...options,
    });
  }

  /** From now on every reading of the clock gives the same time. */
  stopClock(): void {
    this.#step = 0;
  }

  /** Creates the ledger, lets `fill` write to it and closes it. */
  async fill(fill: (ledger: Ledger) => Promise<void> = fillRuns): Promise<this> {
    this.create();
    const ledger = await this.open();
    await fill(ledger);
    await ledger.close();
    return this;
  }

  /** Copies the ledger (without its memory) and returns the copy's path. */
  copy(name: string): string {
    const target = join(this.folder, name);
    for (const end of ['', '-wal', '-shm']) {
      rmSync(target + end, { force: true });
      if (existsSync(this.path + end)) copyFileSync(this.path + end, target + end);
    }
    return target;
  }

  verify(path = this.path): Promise<VerifyReport> {
    return verifyLedger(path, { headsLog: this.headsLog });
  }

  remove(): void {
    for (const folder of [this.folder, this.keys]) rmSync(folder, { recursive: true, force: true });
  }
}

/** Opens a ledger as an attacker with the same user would: no defensive mode, the schema writable. */
export function attack(path: string, edit: (db: Database) => void): void {
  const db = new SqliteDatabase(path);
  try {
    db.unsafeMode(true);
    // Nobody cuts the power.
    db.pragma('synchronous=OFF');
    edit(db);
  } finally {
    db.close();
  }
}

/** Runs `edit` with all triggers out of the way and puts them back as they were. */
export function withoutTriggers(db: Database, edit: () => void): void {
  const triggers = db
    .prepare<[], { name: string; sql: string }>("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
    .all();
  for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`);
  edit();
  for (const { sql } of triggers) db.exec(sql);
}

/** A run of `calls` allowed and ended calls. */
export async function fillRun(ledger: Ledger, runId: string, calls: number): Promise<void> {
  await ledger.append({ entries: [runStart(runId)] });
  for (let call = 1; call <= calls; call += 1) {
    const result = await ledger.append(beginCall(runId, `call-${runId}-${call}`));
    if (!result.ok) throw new Error(`call ${call} was refused`);
    const decision = result.entries[1]?.seq ?? 0;
    await ledger.append({ entries: [endCall(runId, `call-${runId}-${call}`, decision)] });
  }
}

/** Two ended runs, an open one, system entries, an action and a rejected one. */
export async function fillRuns(ledger: Ledger): Promise<void> {
  await ledger.append({ entries: [{ type: 'gateway_start', ts: 1, runId: null, data: { pid: 1 } }] });
  for (const runId of ['run-a', 'run-b']) {
    await fillRun(ledger, runId, 3);
    await ledger.append({ entries: [runEnd(runId)] });
  }
  await fillRun(ledger, 'run-c', 2);
  const pending = await ledger.append({
    entries: [action('action_pending', 'run-c', 'pending')],
    seen: { runId: 'run-c', id: 'request-1' },
  });
  if (!pending.ok) throw new Error('the action was refused');
  const ref = pending.entries[0]?.seq ?? 0;
  await ledger.append({ entries: [{ ...action('action_result', 'run-c', 'success'), ref }] });
  await ledger.append({
    entries: [action('action_rejected', 'run-c', 'rate_limited')],
    seen: { runId: 'run-c', id: 'request-2' },
  });
}

export function runStart(runId: string): EntryInput {
  return {
    type: 'run_start',
    ts: 1_760_000_000_000,
    runId,
    data: { agent_id: 'agent', client: 'claude', env: 'dev', host_id: 'host', attested: true },
  };
}

export function runEnd(runId: string): EntryInput {
  return {
    type: 'run_end',
    ts: 1_760_000_000_500,
    runId,
    code: 'SUCCEEDED',
    data: { run: { status: 'SUCCEEDED' } },
  };
}

export function beginCall(
  runId: string,
  callId: string,
): { entries: EntryInput[]; seen: { runId: string; id: string } } {
  const common = { ts: 1_760_000_000_100, runId, tool: ['files', 'read'] as const };
  return {
    entries: [
      {
        ...common,
        type: 'tool_call_start',
        data: {
          shim: 'shim-1',
          req: { id: callId, sig: 'mac' },
          call: { call_id: callId, args_hash: 'a'.repeat(64) },
        },
        blobs: { 'call.preview.args_preview': `{"path":"/tmp/${callId}"}` },
      },
      {
        ...common,
        type: 'tool_call_decision',
        code: 'ALLOW',
        data: { shim: 'shim-1', call: { call_id: callId } },
      },
    ],
    seen: { runId, id: callId },
  };
}

export function endCall(runId: string, callId: string, ref: number): EntryInput {
  return {
    type: 'tool_call_end',
    ts: 1_760_000_000_200,
    runId,
    tool: ['files', 'read'],
    code: 'OK',
    ref,
    data: {
      shim: 'shim-1',
      call: { call_id: callId },
      latency_ms: 3,
      bytes_out: 12,
      preview: { truncated: false },
    },
  };
}

export function action(type: EntryInput['type'], runId: string | null, code: EntryInput['code']): EntryInput {
  return {
    type,
    ts: 1_760_000_000_300,
    runId,
    tool: 'service.api_call',
    code: code ?? null,
    data: { req: { id: 'request-1', sig: 'mac' }, payload_hash: 'b'.repeat(64) },
  };
}
