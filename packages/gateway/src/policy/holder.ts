import { isSublError, type PayloadOf, redact, SublError } from '@subluminal/core-types';
import {
  BUILTIN_OBSERVE,
  compilePolicy,
  policyRef,
  type PolicyProblem,
  type PolicySnapshot,
} from '@subluminal/policy';
import type { Clock } from '../base/clock.js';
import { errorText, type Logger } from '../base/logger.js';
import type { Recorder } from '../recording/recorder.js';
import type { PolicyStore, StoredPolicy } from '../store/policy-source.js';
import { checkNotOlder, checkSigned, checkSignedBytes, readSignatureFile } from './accept.js';
import type { Acceptance, FoundSignature } from './accept.js';
import { loadedEntry, refusedData } from './entries.js';
import { readPolicyFile } from './file.js';
import { REFUSALS, type LoadedPolicy, type PolicyFailure } from './loaded.js';
import { FileRefusals } from './refusals.js';

/** A policy as it was read, with what is kept of it for the next start. */
interface ReadPolicy extends LoadedPolicy {
  readonly text: string;
  readonly note: string | null;
}

/** What the holder works with. */
export interface PolicyHolderParts {
  readonly path: string;
  readonly store: PolicyStore;
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly log: Logger;
  readonly acceptance: Acceptance;
}

/**
 * Holds the one policy of the gateway. A new one takes its place only when it compiled without a mistake and
 * its entry is durable; anything else keeps the one that is there and says why. ARCHITECTURE.md, "Policy".
 */
export class PolicyHolder {
  readonly #parts: PolicyHolderParts;
  readonly #refusals: FileRefusals;
  #current: LoadedPolicy;
  #failure: PolicyFailure | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  readonly #listeners = new Set<() => void>();

  /** @throws SublError `policy_invalid` when the last good text does not compile any more. */
  constructor(parts: PolicyHolderParts) {
    this.#parts = parts;
    this.#refusals = new FileRefusals(parts.recorder, parts.clock);
    this.#current = this.#fallback();
  }

  get current(): LoadedPolicy {
    return this.#current;
  }

  /** Has `listener` called when another policy decides. Returns the function that ends it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Which files take effect. */
  get accept(): Acceptance['accept'] {
    return this.#parts.acceptance.accept;
  }

  /** Undefined while the file is what decides, or where there never was one. */
  get failure(): PolicyFailure | undefined {
    return this.#failure;
  }

  /**
   * Says why the file does not decide, without any credential that the file may hold. Undefined while it
   * decides.
   */
  get remark(): string | undefined {
    if (this.#failure === undefined) return undefined;
    const { message, help, problems } = this.#failure;
    const [first] = problems;
    const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
    const { path } = this.#parts;
    const why =
      first === undefined ? message : `${path}:${first.line}:${first.column}: ${first.message}${more}`;
    const next = first === undefined && help !== undefined ? help : 'see `sub policy lint`';
    const remark = `policy.yaml is not in force, and ${this.#inForce()} decides: ${why}; ${next}`;
    return redact(remark).text;
  }

  #inForce(): string {
    return this.#current.source === 'builtin' ? 'no policy of yours' : 'the last one that loaded';
  }

  /**
   * Loads what a start finds, and records which policy decides from now on. A first policy that cannot be
   * loaded stops the start, and so does one that had to be signed and is not there: nothing is allowed
   * because of a mistake.
   *
   * @throws SublError `policy_invalid`, `policy_missing`, `policy_unsigned`, `policy_outdated`, and those of
   *   the recorder.
   */
  async start(): Promise<void> {
    // Where nothing was ever loaded there is nothing that could go on until the operator asks.
    await this.reload({ asked: this.#current.source === 'builtin' });
    const failure = this.#failure;
    if (failure !== undefined && this.#current.source === 'builtin') {
      throw new SublError(failure.code, failure.message, {
        help:
          this.accept === 'signed'
            ? 'put a policy there that a listed signer has signed; this gateway takes no other'
            : 'correct the file, or move it away to begin without a policy',
      });
    }
    if (this.#current.source !== 'file') await this.#record(this.#current, this.#current);
  }

  /**
   * Reads the file again; `asked` when the operator wants it, `shown`: the policies that it must be about.
   * True when another policy decides afterwards. One at a time. @throws SublError `policy_changed`
   */
  reload({ asked, shown = {} }: { asked: boolean; shown?: PayloadOf<'policy.reload'> }): Promise<boolean> {
    const turn = this.#turn.then(() => this.#reload(asked, shown));
    this.#turn = turn.catch(() => false);
    return turn;
  }

  async #reload(asked: boolean, shown: PayloadOf<'policy.reload'>): Promise<boolean> {
    let next: ReadPolicy;
    try {
      next = this.#readFile();
      const { policy_hash = next.ref.policy_hash, previous_hash = this.#current.ref.policy_hash } = shown;
      if (policy_hash !== next.ref.policy_hash || previous_hash !== this.#current.ref.policy_hash)
        throw new SublError('policy_changed', 'the policy is not as it was shown', { help: 'look again' });
      this.#checkAsked(asked, next);
    } catch (error) {
      if (!isSublError(error, ...REFUSALS)) throw error;
      return this.#keep(error);
    }
    const before = this.#current;
    const same = before.ref.policy_hash === next.ref.policy_hash;
    if (same && before.source === 'file' && before.signature?.serial === next.signature?.serial) {
      this.#accepted();
      return false;
    }
    try {
      await this.#record(before, next);
    } catch (error) {
      if (!isSublError(error)) throw error;
      return this.#keep(
        new SublError('audit_unavailable', 'the policy was not loaded: its entry could not be recorded'),
      );
    }
    const { text, note, ...loaded } = next;
    this.#current = loaded;
    this.#accepted();
    this.#remember(text, note, loaded);
    for (const listener of this.#listeners) listener();
    this.#parts.log.info('policy loaded', { policy: next.ref.policy_id, hash: next.ref.policy_hash });
    return !same;
  }

  /**
   * A recorded policy is in force whether or not it can be kept: a full disk must not hold a tightened rule
   * back.
   */
  #remember(source: string, note: string | null, { ref, signature }: LoadedPolicy): void {
    try {
      const signed =
        signature === null ? undefined : { serial: signature.serial, fileSha256: signature.file_sha256 };
      this.#parts.store.write({ source, hash: ref.policy_hash, signature: note }, signed);
    } catch (error) {
      this.#parts.log.error('the policy is in force, and is not kept for the next start', {
        error: errorText(error),
      });
    }
  }

  #accepted(): void {
    this.#failure = undefined;
    this.#refusals.accepted();
  }

  #readFile(): ReadPolicy {
    const { path, store } = this.#parts;
    const text = readPolicyFile(path);
    if (this.accept !== 'signed') return { ...this.#compile(text, 'file'), text, note: null };
    const note = readSignatureFile(path);
    checkSignedBytes(note, text, this.#parts.acceptance.signers);
    const loaded = this.#compile(text, 'file');
    const found = this.#checkSigned(note, text, loaded.snapshot);
    const own = this.#current.signature;
    checkNotOlder(found, store.lastSigned());
    // What is in force and could not be kept counts too.
    checkNotOlder(found, own === null ? undefined : { serial: own.serial, fileSha256: own.file_sha256 });
    return { ...loaded, text, ...found };
  }

  #checkSigned(note: string | undefined, text: string, snapshot: PolicySnapshot): FoundSignature {
    return checkSigned(note, text, snapshot, this.#parts.acceptance.signers);
  }

  #checkAsked(asked: boolean, next: ReadPolicy): void {
    if (asked || this.accept !== 'operator') return;
    if (next.ref.policy_hash === this.#current.ref.policy_hash) return;
    throw new SublError(
      'policy_pending',
      `the policy file says another policy, \`${next.ref.policy_id}\` ${next.ref.policy_version}, which waits for you`,
      { help: 'look at it with `sub policy diff`, then load it with `sub policy reload`' },
    );
  }

  #compile(text: string, source: LoadedPolicy['source']): LoadedPolicy {
    const compiled = compilePolicy(text, { filename: 'policy.yaml' });
    if (!compiled.ok) {
      const problems = compiled.problems.map(shownProblem);
      const [first] = problems;
      const where = first === undefined ? '' : ` (line ${first.line}: ${first.message})`;
      const { length } = problems;
      const count = length === 1 ? 'a mistake' : `${length} mistakes`;
      throw new SublError('policy_invalid', `the policy has ${count}${where}`, {
        details: { problems },
      });
    }
    const { snapshot } = compiled;
    const warnings = compiled.warnings.map(shownProblem);
    const loadedMs = this.#parts.clock();
    return { snapshot, ref: policyRef(snapshot), source, loadedMs, warnings, signature: null };
  }

  #fallback(): LoadedPolicy {
    const stored = this.#parts.store.read();
    const kept = stored === undefined ? undefined : this.#kept(stored);
    if (kept !== undefined) return kept;
    const snapshot = BUILTIN_OBSERVE;
    return {
      snapshot,
      ref: policyRef(snapshot),
      source: 'builtin',
      loadedMs: this.#parts.clock(),
      warnings: [],
      signature: null,
    };
  }

  /** The last good policy, where it may still decide: one that had to be signed needs a signer of today. */
  #kept({ source, signature: note }: StoredPolicy): LoadedPolicy | undefined {
    const loaded = this.#compile(source, 'stored');
    if (this.accept !== 'signed') return loaded;
    try {
      const { signature } = this.#checkSigned(note ?? undefined, source, loaded.snapshot);
      return { ...loaded, signature };
    } catch (error) {
      if (isSublError(error, 'policy_unsigned')) return undefined;
      throw error;
    }
  }

  #keep(error: SublError): false {
    const { code, help } = error;
    const message = redact(error.message).text;
    const isNone = code === 'policy_missing' && this.#current.source === 'builtin';
    if (isNone && this.accept !== 'signed') return false;
    const given = error.details?.['problems'];
    const problems = isProblems(given) ? given : [];
    const known = REFUSALS.find((one) => one === code) ?? 'audit_unavailable';
    this.#failure = { code: known, message, help, problems, atMs: this.#parts.clock() };
    this.#noteRefusal(this.#failure);
    if (this.#current.source === 'file') this.#current = { ...this.#current, source: 'stored' };
    this.#parts.log.warn('the policy file was not loaded; the last good policy stays', {
      code,
      error: message,
    });
    return false;
  }

  #noteRefusal(failure: PolicyFailure): void {
    if (failure.code === 'audit_unavailable') return;
    const data = refusedData(failure, this.accept, this.#current.ref);
    this.#refusals.note(`${failure.code} ${failure.message}`, data);
  }

  async #record(before: LoadedPolicy, next: LoadedPolicy): Promise<void> {
    const { recorder, clock } = this.#parts;
    await recorder.append({ entries: [loadedEntry(before, next, clock())] });
  }
}

/** It quotes the file, which may hold a credential in a wrong place. */
function shownProblem(problem: PolicyProblem): PolicyProblem {
  const { message, path, help } = problem;
  return {
    ...problem,
    message: redact(message).text,
    path: redact(path).text,
    ...(help === undefined ? {} : { help: redact(help).text }),
  };
}

function isProblems(value: unknown): value is readonly PolicyProblem[] {
  return Array.isArray(value);
}
