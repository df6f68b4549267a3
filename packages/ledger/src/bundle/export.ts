import { nextTurn, canonicalize, parseJson, SublError, type JsonValue } from '@subluminal/core-types';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { syncFolder } from '../files/sync-folder.js';
import { genesisRecord } from '../genesis/record.js';
import type { LedgerProver } from '../proof/prover.js';
import { readTlogProof } from '../proof/read-tlog-proof.js';
import type { LedgerReader } from '../read/reader.js';
import type { LedgerRow } from '../read/row.js';
import { RunEvents, rowOfBody } from './events.js';
import { BundleFileWriter } from './file-writer.js';
import { BUNDLE_FILES, BUNDLE_MANIFEST, entryLine, previewLine } from './form.js';
import { renderBundleManifest, type BundleManifest, type FileMark } from './manifest.js';
import { policiesOf } from './policies.js';

/** What is exported, and where to. */
export interface ExportRunOptions {
  readonly reader: LedgerReader;
  readonly prover: LedgerProver;
  readonly runId: string;
  /** The folder that is made. */
  readonly target: string;
  /** An older bundle at `target` makes room. */
  readonly replace: boolean;
  /** The canonical normal form of a policy by its hash; null where it is not kept any more. */
  readonly policy: (hash: string) => string | null;
  readonly nowMs: number;
  readonly version: string;
  /** Tells of the draft's folder, so that two exports into one place do not meet. */
  readonly draft: string;
  readonly onProgress?: (entries: number) => void;
  readonly signal?: AbortSignal;
}

const PROGRESS_EVERY = 500;

/**
 * Writes the bundle of one run: all of its entries that the signed head covers, with what proves them. The
 * folder is complete or not there. Works while a gateway writes.
 *
 * @throws SublError `not_found` for a run that is not there, or of which a part stands in files that are not
 * there or behind the signed head; `ledger_corrupt`; the reason of `signal`; errors of the file system.
 */
export async function exportRun(options: ExportRunOptions): Promise<BundleManifest> {
  const { target, draft } = options;
  mkdirSync(draft, { mode: 0o700 });
  try {
    const manifest = await writeBundle(options);
    const old = `${draft}.old`;
    if (options.replace && existsSync(target)) renameSync(target, old);
    renameSync(draft, target);
    rmSync(old, { recursive: true, force: true });
    syncFolder(join(target, '..'));
    return manifest;
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw error;
  }
}

async function writeBundle(options: ExportRunOptions): Promise<BundleManifest> {
  const { reader, prover, runId, draft } = options;
  const { genesis } = prover;
  const files: Record<string, FileMark> = {};
  const put = (name: string, text: string): void => {
    const file = new BundleFileWriter(draft, name);
    file.write(text);
    files[name] = file.end();
  };
  const walked = await writeRun(options, files);
  put(BUNDLE_FILES.genesis, genesisRecord(genesis));
  put(BUNDLE_FILES.policies, policiesText(walked.policies, options.policy));
  const expiry = walked.expired ? newestExpiry(reader) : undefined;
  const [proof = '', expired] = prover.atOnce(() =>
    [walked.last, ...(expiry === undefined ? [] : [expiry])].map((seq) => prover.entry(seq)),
  );
  put(BUNDLE_FILES.proof, proof);
  put(BUNDLE_FILES.checkpoint, readTlogProof(proof)?.note ?? '');
  if (expired !== undefined) put(BUNDLE_FILES.expired, expired);
  const manifest: BundleManifest = {
    created: new Date(options.nowMs).toISOString(),
    version: options.version,
    ledgerId: genesis.ledgerId,
    genesis: genesis.fingerprint,
    runId,
    ended: walked.ended,
    entries: walked.entries,
    events: walked.events,
    previews: walked.previews,
    files,
  };
  const file = new BundleFileWriter(draft, BUNDLE_MANIFEST);
  file.write(renderBundleManifest(manifest));
  file.end();
  syncFolder(draft);
  return manifest;
}

/** What the walk over the run's entries has found. */
interface Walked {
  entries: number;
  events: number;
  previews: number;
  last: number;
  ended: boolean;
  /** A preview was kept once and is gone. */
  expired: boolean;
  readonly policies: Set<string>;
}

async function writeRun(options: ExportRunOptions, files: Record<string, FileMark>): Promise<Walked> {
  const { reader, prover, runId, draft, signal } = options;
  const upTo = prover.head().size;
  const expiredUpTo = reader.expiredUpTo();
  const walked: Walked = {
    entries: 0,
    events: 0,
    previews: 0,
    last: 0,
    ended: false,
    expired: false,
    policies: new Set(),
  };
  const open = [BUNDLE_FILES.entries, BUNDLE_FILES.events, BUNDLE_FILES.previews].map(
    (name) => new BundleFileWriter(draft, name),
  );
  const [entries, events, previews] = open;
  if (entries === undefined || events === undefined || previews === undefined)
    throw new TypeError('no files');
  const rendering = new RunEvents();
  for (const { seq, prev, body, leaf } of reader.rawOfRun(runId, upTo)) {
    signal?.throwIfAborted();
    const row = rowOfBody(seq, leaf, body)?.row;
    if (row?.runIndex !== walked.entries) throw incomplete(runId, row, seq);
    entries.line(entryLine({ seq, prev, body }));
    walked.entries += 1;
    walked.last = seq;
    walked.ended = row.type === 'run_end';
    for (const hash of policiesOf(row)) walked.policies.add(hash);
    const kept = new Map<string, string>();
    for (const [slot, { state }] of Object.entries(row.blobs)) {
      const blob = state === 'present' ? reader.saltedBlob(seq, slot) : null;
      if (blob !== null) {
        const text = blob.data.toString('utf8');
        kept.set(slot, text);
        previews.line(previewLine({ seq, slot, salt: blob.salt.toString('base64'), text }));
        walked.previews += 1;
      } else if (state === 'present') {
        if (seq > expiredUpTo && seq > reader.expiredUpTo()) throw lost(seq);
        walked.expired = true;
      }
    }
    const line = rendering.line(row, kept);
    if (line !== null) {
      events.line(line);
      walked.events += 1;
    }
    if (walked.entries % PROGRESS_EVERY > 0) continue;
    options.onProgress?.(walked.entries);
    // So that a signal is heard.
    await nextTurn();
  }
  for (const file of open) files[file.name] = file.end();
  if (walked.entries === 0) throw notThere(reader, runId);
  return walked;
}

function policiesText(hashes: ReadonlySet<string>, textOf: (hash: string) => string | null): string {
  const members: Record<string, JsonValue> = {};
  for (const hash of [...hashes].toSorted()) {
    const text = textOf(hash);
    members[hash] = text === null ? null : parseJson(text);
  }
  return `${canonicalize(members)}\n`;
}

function newestExpiry(reader: LedgerReader): number | undefined {
  return reader.byType('previews_expired', { limit: 1 }).rows[0]?.seq;
}

function notThere(reader: LedgerReader, runId: string): SublError {
  if (reader.byRun(runId, { limit: 1 }).rows.length > 0) {
    return new SublError('not_found', `no entry of the run \`${runId}\` is under the signed head yet`, {
      help: 'start the gateway: it signs a head over all that is recorded',
    });
  }
  return new SublError('not_found', `there is no run \`${runId}\``, { help: '`sub runs` lists the runs' });
}

function incomplete(runId: string, row: LedgerRow | undefined, seq: number): SublError {
  if (row === undefined || (row.runIndex > 0 && row.type === 'run_start')) return corruptAt(seq);
  return new SublError(
    'not_found',
    `entries of the run \`${runId}\` before entry ${seq} stand in files that are not there`,
    { help: 'put the closed files back into `segments/`, and export again' },
  );
}

function lost(seq: number): SublError {
  return new SublError(
    'ledger_corrupt',
    `a preview of entry ${seq} is missing, and no entry says that it expired`,
    {
      help: 'run `sub audit verify`',
    },
  );
}

function corruptAt(seq: number): SublError {
  return new SublError('ledger_corrupt', `entry ${seq} cannot be read`, { help: 'run `sub audit verify`' });
}
