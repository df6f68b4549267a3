import { isSublError, SublError, type JsonObject, type PolicyRef } from '@subluminal/core-types';
import {
  BUILTIN_OBSERVE,
  compilePolicy,
  diffSummary,
  policyRef,
  type PolicyProblem,
  type PolicySnapshot,
} from '@subluminal/policy';
import { policyData } from '../calls/entries.js';
import type { Clock } from '../clock.js';
import { errorText, type Logger } from '../logging/logger.js';
import type { Recorder } from '../recording/recorder.js';
import type { PolicyStore } from '../store/policy-source.js';
import { readPolicyFile } from './file.js';

/** The policy that decides now. */
export interface LoadedPolicy {
  readonly snapshot: PolicySnapshot;
  readonly ref: PolicyRef;
  /** `stored`: the last good text, because the file is missing or has a mistake. */
  readonly source: 'builtin' | 'file' | 'stored';
  readonly loadedMs: number;
  readonly warnings: readonly PolicyProblem[];
}

/** Why the file is not what decides. */
export interface PolicyFailure {
  readonly code: 'policy_invalid' | 'policy_missing' | 'audit_unavailable';
  readonly message: string;
  readonly problems: readonly PolicyProblem[];
  readonly atMs: number;
}

/** What the holder works with. */
export interface PolicyHolderParts {
  readonly path: string;
  readonly store: PolicyStore;
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Entries name at most so many changes. */
const MAX_CHANGES = 100;

/**
 * Holds the one policy of the gateway. A new one takes its place only when it compiled without a mistake and its entry
 * is durable; anything else keeps the one that is there and says why. ARCHITECTURE.md, "Policy".
 */
export class PolicyHolder {
  readonly #parts: PolicyHolderParts;
  #current: LoadedPolicy;
  #failure: PolicyFailure | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  /** @throws SublError `policy_invalid` when the last good text does not compile any more. */
  constructor(parts: PolicyHolderParts) {
    this.#parts = parts;
    this.#current = this.#fallback();
  }

  get current(): LoadedPolicy {
    return this.#current;
  }

  /** Undefined while the file is what decides, or where there never was one. */
  get failure(): PolicyFailure | undefined {
    return this.#failure;
  }

  /**
   * Loads what a start finds, and records which policy decides from now on. A first policy that cannot be loaded stops
   * the start: nothing is allowed because somebody made a mistake in it.
   *
   * @throws SublError `policy_invalid`, and those of the recorder.
   */
  async start(): Promise<void> {
    await this.reload();
    const failure = this.#failure;
    if (failure !== undefined && this.#current.source === 'builtin') {
      throw new SublError(failure.code, failure.message, {
        help: 'correct the file, or move it away to begin without a policy',
      });
    }
    if (this.#current.source !== 'file') await this.#record(this.#current, this.#current);
  }

  /** Reads the file again. True when another policy decides afterwards. One at a time. */
  reload(): Promise<boolean> {
    const turn = this.#turn.then(() => this.#reload());
    this.#turn = turn.catch(() => false);
    return turn;
  }

  async #reload(): Promise<boolean> {
    let next: LoadedPolicy & { readonly text: string };
    try {
      next = this.#readFile();
    } catch (error) {
      if (!isSublError(error, 'policy_invalid', 'policy_missing')) throw error;
      return this.#keep(error);
    }
    const before = this.#current;
    const same = before.ref.policy_hash === next.ref.policy_hash;
    if (same && before.source === 'file') {
      this.#failure = undefined;
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
    const { text, ...loaded } = next;
    this.#current = loaded;
    this.#failure = undefined;
    this.#remember(text, next.ref.policy_hash);
    this.#parts.log.info('policy loaded', { policy: next.ref.policy_id, hash: next.ref.policy_hash });
    return !same;
  }

  /** What is recorded is in force whether or not it can be kept: a full disk must not hold a tightened rule back. */
  #remember(source: string, hash: string): void {
    try {
      this.#parts.store.write({ source, hash });
    } catch (error) {
      this.#parts.log.error('the policy is in force, and is not kept for the next start', {
        error: errorText(error),
      });
    }
  }

  #readFile(): LoadedPolicy & { readonly text: string } {
    const text = readPolicyFile(this.#parts.path);
    return { ...this.#compile(text, 'file'), text };
  }

  #compile(text: string, source: LoadedPolicy['source']): LoadedPolicy {
    const compiled = compilePolicy(text, { filename: 'policy.yaml' });
    if (!compiled.ok) {
      const [first] = compiled.problems;
      const where = first === undefined ? '' : ` (line ${first.line}: ${first.message})`;
      throw new SublError('policy_invalid', `the policy has ${compiled.problems.length} mistakes${where}`, {
        details: { problems: compiled.problems },
      });
    }
    const { snapshot, warnings } = compiled;
    return { snapshot, ref: policyRef(snapshot), source, loadedMs: this.#parts.clock(), warnings };
  }

  #fallback(): LoadedPolicy {
    const stored = this.#parts.store.read();
    if (stored !== undefined) return this.#compile(stored.source, 'stored');
    const snapshot = BUILTIN_OBSERVE;
    return {
      snapshot,
      ref: policyRef(snapshot),
      source: 'builtin',
      loadedMs: this.#parts.clock(),
      warnings: [],
    };
  }

  #keep(error: SublError): false {
    const { code, message } = error;
    if (code === 'policy_missing' && this.#current.source === 'builtin') return false;
    const problems = error.details?.['problems'];
    this.#failure = {
      code: code === 'policy_missing' || code === 'audit_unavailable' ? code : 'policy_invalid',
      message,
      problems: isProblems(problems) ? problems : [],
      atMs: this.#parts.clock(),
    };
    if (this.#current.source === 'file') this.#current = { ...this.#current, source: 'stored' };
    this.#parts.log.warn('the policy file was not loaded; the last good policy stays', {
      code,
      error: message,
    });
    return false;
  }

  async #record(before: LoadedPolicy, next: LoadedPolicy): Promise<void> {
    const diff = diffSummary(before.snapshot, next.snapshot);
    const data: JsonObject = {
      policy: { ...policyData(next.ref), mode: next.snapshot.mode },
      source: next.source,
      previous_hash: before.ref.policy_hash,
      loosened: diff.loosened,
      changes: diff.changes.slice(0, MAX_CHANGES),
    };
    await this.#parts.recorder.append({
      entries: [{ type: 'policy_loaded', ts: this.#parts.clock(), runId: null, data }],
    });
  }
}

function isProblems(value: unknown): value is readonly PolicyProblem[] {
  return Array.isArray(value);
}
