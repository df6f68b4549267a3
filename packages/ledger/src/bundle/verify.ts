import {
  canonicalize,
  isJsonObject,
  isSublError,
  parseJson,
  sha256Hex,
  verifierKey,
  type CheckpointText,
  verifyInclusion,
} from '@subluminal/core-types';
import { readExpiry } from '../expiry/record.js';
import { readGenesis, type Genesis } from '../genesis/record.js';
import { openLogNote } from '../note/open-log-note.js';
import { splitNotes } from '../note/split-notes.js';
import { readTlogProof, type TlogProof } from '../proof/read-tlog-proof.js';
import { leafOf } from '../proof/tlog-proof.js';
import type { Receipt } from '../verify/outside.js';
import { BundleFault, type BundleFaultClass } from './fault.js';
import { bundleLines, readBundleFile } from './file-reader.js';
import { BUNDLE_FILES, BUNDLE_MANIFEST } from './form.js';
import { readBundleManifest, type BundleManifest, type FileMark } from './manifest.js';
import { RunWalk, type RunContents } from './run-walk.js';

/** What a bundle is held against. */
export interface VerifyBundleOptions {
  /** The genesis fingerprint that its ledger must have. Without one it proves nothing but itself. */
  readonly pin?: string;
  readonly receipts?: readonly Receipt[];
  /** Signed notes that somebody kept of this ledger. */
  readonly checkpoints?: readonly string[];
  readonly onProgress?: (done: number, total: number) => void;
}

/** What verifying a bundle found. */
export interface BundleReport {
  readonly verdict: 'ok' | 'unproven' | 'tampered' | 'unchecked';
  readonly finding: { readonly class: BundleFaultClass; readonly at: number; readonly detail: string } | null;
  /** Why the verdict is `unproven` or `unchecked`. */
  readonly reasons: readonly string[];
  readonly notes: readonly string[];
  readonly ledgerId: string | null;
  readonly genesisFingerprint: string | null;
  readonly runId: string | null;
  readonly ended: boolean;
  readonly entries: number;
  readonly events: number;
  readonly previews: { readonly kept: number; readonly expired: number; readonly dropped: number };
  readonly policies: number;
  /** Its events, as the manifest names the file that was verified. */
  readonly eventsFile: FileMark | null;
  /** The signed head that it stands under. */
  readonly head: { readonly size: number; readonly root: string } | null;
}

const MAX_SMALL = 1024 * 1024;
const MAX_PROOF = 64 * 1024 * 1024;
const PROGRESS_EVERY = 500;

/**
 * Verifies a bundle from its files alone, in a bounded memory, without gateway, home or network. `ok` only
 * where `pin` names its ledger and its run has ended: then it is all that the ledger holds of the run,
 * unaltered.
 *
 * @throws errors of the file system never: what cannot be read is `unchecked`.
 */
export function verifyBundle(folder: string, options: VerifyBundleOptions = {}): BundleReport {
  const verification = new BundleVerification(folder, options);
  try {
    return verification.run();
  } catch (error) {
    if (error instanceof BundleFault) {
      const { message: detail, at } = error;
      return verification.report('tampered', { class: error.class, at, detail });
    }
    const code: unknown = Reflect.get(Object(error), 'code');
    if (typeof code !== 'string' || isSublError(error) || !(error instanceof Error)) throw error;
    verification.reasons.push(`it cannot be read to the end: ${code}`);
    return verification.report('unchecked', null);
  }
}

class BundleVerification {
  readonly #folder: string;
  readonly #options: VerifyBundleOptions;
  readonly reasons: string[] = [];
  readonly #notes: string[] = [];
  #manifest: BundleManifest | undefined;
  #genesis: Genesis | undefined;
  #head: CheckpointText | undefined;
  #walk: RunWalk | undefined;

  constructor(folder: string, options: VerifyBundleOptions) {
    this.#folder = folder;
    this.#options = options;
  }

  run(): BundleReport {
    const manifest = this.#readManifest();
    const genesis = this.#readGenesis(manifest);
    const proof = this.#openProof(manifest, BUNDLE_FILES.proof, genesis);
    const head = this.#openNote(proof.note, genesis);
    this.#head = head;
    if (this.#small(manifest, BUNDLE_FILES.checkpoint) !== proof.note)
      throw new BundleFault('checkpoint', 'the checkpoint is not the one of the proof');
    assertIncluded(proof, head);
    this.#compareCheckpoints(head, genesis);
    this.#walkRun(manifest, genesis, proof);
    const walk = this.#walk;
    if (walk === undefined) throw new TypeError('nothing was walked');
    this.#checkCounts(manifest, walk);
    this.#checkPolicies(manifest, walk.policies);
    if (this.#options.pin === undefined)
      this.reasons.push(
        'it is held against nothing: name the genesis fingerprint that you keep with `--pin`',
      );
    if (!walk.ended)
      this.reasons.push('the run had not ended when it was exported: later entries are not in it');
    const receipts = this.#options.receipts?.length ?? 0;
    if (receipts > walk.receipts)
      this.#notes.push(`${receipts - walk.receipts} receipts are of no entry of this run`);
    return this.report(this.reasons.length === 0 ? 'ok' : 'unproven', null);
  }

  report(verdict: BundleReport['verdict'], finding: BundleReport['finding']): BundleReport {
    const walk = this.#walk;
    return {
      verdict,
      finding,
      reasons: finding === null ? this.reasons : [],
      notes: this.#notes,
      ledgerId: this.#genesis?.ledgerId ?? null,
      genesisFingerprint: this.#genesis?.fingerprint ?? null,
      runId: this.#manifest?.runId ?? null,
      ended: walk?.ended ?? false,
      entries: walk?.entries ?? 0,
      events: walk?.events ?? 0,
      previews: { kept: walk?.previews ?? 0, expired: walk?.expired ?? 0, dropped: walk?.dropped ?? 0 },
      policies: walk?.policies.size ?? 0,
      eventsFile: this.#manifest?.files[BUNDLE_FILES.events] ?? null,
      head: this.#head === undefined ? null : { size: this.#head.size, root: this.#head.root },
    };
  }

  #readManifest(): BundleManifest {
    const manifest = readBundleManifest(readBundleFile(this.#folder, BUNDLE_MANIFEST, MAX_SMALL));
    if (typeof manifest === 'string') throw new BundleFault('manifest', `the manifest: ${manifest}`);
    this.#manifest = manifest;
    return manifest;
  }

  #readGenesis(manifest: BundleManifest): Genesis {
    const genesis = readGenesis(this.#small(manifest, BUNDLE_FILES.genesis));
    if (genesis === undefined) throw new BundleFault('genesis', 'the genesis record is none');
    this.#genesis = genesis;
    const { pin } = this.#options;
    if (pin !== undefined && pin !== genesis.fingerprint)
      throw new BundleFault('genesis', 'it is a bundle of another ledger than the one of the pin');
    if (manifest.genesis !== genesis.fingerprint || manifest.ledgerId !== genesis.ledgerId)
      throw new BundleFault('manifest', 'the manifest names another ledger than the genesis record');
    return genesis;
  }

  #openProof(manifest: BundleManifest, name: string, genesis: Genesis): TlogProof {
    const proof = readTlogProof(readBundleFile(this.#folder, name, MAX_PROOF, markOf(manifest, name)));
    if (proof === undefined) throw new BundleFault('proof', `\`${name}\` is no proof of an entry`);
    if (proof.entry.ledgerId !== genesis.ledgerId)
      throw new BundleFault('proof', `\`${name}\` is about an entry of another ledger`);
    return proof;
  }

  #openNote(note: string, { ledgerId, publicKey }: Genesis): CheckpointText {
    const checkpoint = openLogNote(note, verifierKey(`subluminal/${ledgerId}`, 'log', publicKey));
    if (typeof checkpoint === 'string') throw new BundleFault('checkpoint', `the checkpoint: ${checkpoint}`);
    return checkpoint;
  }

  /** Only for one size can two roots be compared; what else was kept says nothing here. */
  #compareCheckpoints(head: CheckpointText, genesis: Genesis): void {
    const notes = this.#options.checkpoints?.flatMap((text) => splitNotes(text).notes) ?? [];
    let compared = 0;
    for (const note of notes) {
      const kept = openLogNote(note, verifierKey(`subluminal/${genesis.ledgerId}`, 'log', genesis.publicKey));
      if (typeof kept === 'string' || kept.size !== head.size) continue;
      compared += 1;
      if (kept.root !== head.root)
        throw new BundleFault('checkpoint', `another checkpoint of ${head.size} entries was signed: a fork`);
    }
    if (compared < notes.length)
      this.#notes.push(
        `${notes.length - compared} checkpoints are of another size: only the ledger can compare them`,
      );
  }

  /**
   * Where the contents do not fit, it may be the entries that are not what they were: then that is what is
   * told.
   */
  #walkRun(manifest: BundleManifest, genesis: Genesis, proved: TlogProof): void {
    const lines = (name: string) => bundleLines(this.#folder, name, markOf(manifest, name));
    const contents = { events: lines(BUNDLE_FILES.events), previews: lines(BUNDLE_FILES.previews) };
    try {
      this.#walkEntries(manifest, genesis, proved, contents);
    } catch (error) {
      if (error instanceof BundleFault) this.#walkEntries(manifest, genesis, proved, null);
      throw error;
    } finally {
      contents.events.return(undefined);
      contents.previews.return(undefined);
    }
  }

  #walkEntries(
    manifest: BundleManifest,
    genesis: Genesis,
    proved: TlogProof,
    contents: RunContents | null,
  ): void {
    const walk = new RunWalk({
      ledgerId: genesis.ledgerId,
      runId: manifest.runId,
      contents,
      expiredUpTo: this.#expiredUpTo(manifest, genesis),
      receipts: new Map(this.#options.receipts?.map(({ seq, leaf }) => [seq, leaf])),
    });
    this.#walk = walk;
    const { entries } = BUNDLE_FILES;
    for (const line of bundleLines(this.#folder, entries, markOf(manifest, entries))) {
      walk.take(line);
      if (walk.entries % PROGRESS_EVERY === 0) this.#options.onProgress?.(walk.entries, manifest.entries);
    }
    if (walk.leaf !== leafOf(proved.entry) || walk.seq !== proved.entry.seq)
      throw new BundleFault('chain', 'the last entry is not the one that is proved', walk.seq);
    walk.end();
  }

  #expiredUpTo(manifest: BundleManifest, genesis: Genesis): number {
    if (!Object.hasOwn(manifest.files, BUNDLE_FILES.expired)) return 0;
    const proof = this.#openProof(manifest, BUNDLE_FILES.expired, genesis);
    assertIncluded(proof, this.#openNote(proof.note, genesis));
    const body = parseJson(proof.entry.body);
    const range =
      isJsonObject(body) && body['type'] === 'previews_expired' ? readExpiry(body['data']) : undefined;
    if (range === undefined)
      throw new BundleFault('proof', 'what expired is proved by an entry that does not say so');
    return range.to;
  }

  #checkCounts(manifest: BundleManifest, walk: RunWalk): void {
    const { entries, events, previews, ended } = manifest;
    if (
      entries === walk.entries &&
      events === walk.events &&
      previews === walk.previews &&
      ended === walk.ended
    )
      return;
    throw new BundleFault('manifest', 'the manifest does not say how much the bundle holds');
  }

  #checkPolicies(manifest: BundleManifest, named: ReadonlySet<string>): void {
    const text = readBundleFile(
      this.#folder,
      BUNDLE_FILES.policies,
      MAX_PROOF,
      markOf(manifest, BUNDLE_FILES.policies),
    );
    const policies = parsed(text);
    let kept = 0;
    for (const [hash, form] of Object.entries(policies)) {
      if (!named.has(hash))
        throw new BundleFault('policy', `no entry of the run names the policy \`${hash}\``);
      if (form === null) continue;
      if (sha256Hex(canonicalize(form)) !== hash)
        throw new BundleFault('policy', `the policy \`${hash}\` does not have that hash`);
      kept += 1;
    }
    const missing = [...named].find((hash) => !Object.hasOwn(policies, hash));
    if (missing !== undefined) throw new BundleFault('policy', `the policy \`${missing}\` is missing`);
    if (kept < named.size)
      this.reasons.push(`${named.size - kept} policies that decided are not in it: not kept`);
  }

  #small(manifest: BundleManifest, name: string): string {
    return readBundleFile(this.#folder, name, MAX_SMALL, markOf(manifest, name));
  }
}

function parsed(text: string): Readonly<Record<string, ReturnType<typeof parseJson>>> {
  try {
    const value = parseJson(text);
    if (isJsonObject(value)) return value;
  } catch (error) {
    // Deep, broken or ambiguous: the same finding as for a value that is no object.
    if (!isSublError(error)) throw error;
  }
  throw new BundleFault('policy', 'the policies are no JSON object');
}

function markOf(manifest: BundleManifest, name: string): FileMark {
  const mark = manifest.files[name];
  if (mark === undefined) throw new BundleFault('manifest', `the manifest does not list \`${name}\``);
  return mark;
}

function assertIncluded({ entry, proof }: TlogProof, { size, root }: CheckpointText): void {
  if (verifyInclusion({ index: entry.seq - 1, size, leaf: leafOf(entry), root, proof })) return;
  throw new BundleFault('proof', `entry ${entry.seq} does not stand under the checkpoint`, entry.seq);
}
