import { signal } from '@preact/signals';
import { API, type Head, type Proof, type RawPage } from '../../src/protocol/index.js';
import { Refused, type Api } from '../wire/api.js';
import type { AskWorker } from './ask-worker.js';
import type { Walk } from './chain.js';
import { memoryOf, type Finding, type Memory } from './memory.js';

/** The newest checkpoint that was checked. */
export interface HeadSeen {
  readonly size: number;
  readonly root: string;
  readonly note: string;
  readonly key: string;
  /** Entries of the checkpoint from an earlier visit that it continues; null at the first. */
  readonly continues: number | null;
  readonly at: number;
}

/** The check of one record: `proved` under the signed checkpoint, `hashed` behind it as yet. */
export type RecordSeen = 'proved' | 'hashed' | 'unchecked' | Finding;

/** The parts of the watch. */
export interface WatchParts {
  readonly api: Api;
  readonly ask: AskWorker;
  readonly storage: Storage;
  readonly now: () => number;
}

const PAGE = 1000;
const IDLE_MS = 5000;
/** Records of so few entries are hashed whole as the page opens: a moment's work. */
const AT_ONCE = 20_000;
const HEAD_EVERY_MS = 30_000;
/** A head of less age is not asked for again, however many records are opened. */
const FRESH_MS = 1000;

/**
 * Verifies the record from the page: each signed head against the one that this browser remembers, each
 * record that is opened, and all entries, again and again in small steps. A finding stays.
 */
export class Watch {
  readonly head = signal<HeadSeen | null>(null);
  readonly finding = signal<Finding | null>(null);
  readonly walk = signal<(Walk & { readonly at: number }) | null>(null);
  /** Whole walks that fitted, and when the last one ended. */
  readonly walked = signal<{ readonly times: number; readonly at: number; readonly size: number } | null>(
    null,
  );
  /** Why a check could not be made at all. */
  readonly problem = signal<string | null>(null);
  readonly isWalking = signal(false);
  readonly #parts: WatchParts;
  #memory: Memory | null = null;
  #ledger = '';
  #timer = 0;
  #headAt = 0;

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  /** Begins with a ledger: what was found on an earlier visit stands, too. */
  async begin(ledger: string): Promise<void> {
    if (this.#ledger === ledger) return;
    this.#ledger = ledger;
    this.#memory = memoryOf(this.#parts.storage, ledger);
    this.finding.value = this.#memory.finding();
    await this.checkHead();
    if ((this.head.value?.size ?? Number.POSITIVE_INFINITY) <= AT_ONCE) await this.checkAll();
    else this.#later();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** Fetches the newest signed head and judges it. */
  async checkHead(): Promise<void> {
    await this.#carefully(async () => {
      const remembered = this.#memory?.remembered() ?? null;
      const head = await this.#askHead(remembered?.note ?? null);
      const verdict = await this.#parts.ask({
        ask: 'head',
        head: { ledger: this.#ledger, key: head.key, note: head.note, growth: head.growth, remembered },
      });
      this.#headAt = this.#parts.now();
      if (!verdict.ok) {
        this.#found(null, verdict.why);
        return;
      }
      this.head.value = { ...verdict, note: head.note, key: head.key, at: this.#headAt };
      // While something does not fit, the last checkpoint that did is the one to hold on to.
      if (this.finding.value === null) this.#memory?.remember({ key: head.key, note: head.note });
    });
  }

  /** Hashes the entries of a record again, and has the last one proved under the head. */
  async checkRecord(seqs: readonly number[]): Promise<RecordSeen> {
    const first = Math.min(...seqs);
    const last = Math.max(...seqs);
    if (seqs.length === 0 || last - first >= PAGE) return 'unchecked';
    const seen = await this.#carefully(async (): Promise<RecordSeen> => {
      const page = await this.#raw(first, last);
      const range = await this.#parts.ask({ ask: 'range', page, first });
      if (!range.ok) return this.#found(range.broken.seq, range.broken.why);
      const isOld = this.#parts.now() - this.#headAt > FRESH_MS;
      if (isOld && (this.head.value?.size ?? 0) < last) await this.checkHead();
      const head = this.head.value;
      if (head === null || head.size < last) return 'hashed';
      const { proof } = await this.#parts.api.get<Proof>(`${API.proof}/${last}`);
      const { key } = head;
      const stands = await this.#parts.ask({
        ask: 'leaf',
        proof,
        leaf: range.leaf,
        seq: last,
        key,
        ledger: this.#ledger,
      });
      return stands.ok ? 'proved' : this.#found(last, stands.why);
    });
    return seen ?? 'unchecked';
  }

  /** Verifies every entry at once. */
  async checkAll(): Promise<void> {
    clearTimeout(this.#timer);
    await this.checkHead();
    if (await this.#beginWalk()) while (await this.#stepWalk());
    this.#later();
  }

  /** A person says that they know: the finding and the remembered checkpoint are dropped. */
  async forget(): Promise<void> {
    this.#memory?.forget();
    this.finding.value = null;
    this.walk.value = null;
    await this.checkHead();
  }

  /** One step of the walk that never ends, as long as somebody looks. */
  async #idle(): Promise<void> {
    if (document.hidden) return;
    if (this.#parts.now() - this.#headAt > HEAD_EVERY_MS) await this.checkHead();
    const walk = this.walk.value;
    if (walk === null || walk.done || walk.broken !== null) await this.#beginWalk();
    else await this.#stepWalk();
  }

  #later(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      void this.#idle().finally(() => this.#later());
    }, IDLE_MS);
  }

  async #beginWalk(): Promise<boolean> {
    const head = this.head.value;
    if (head === null || head.size === 0) return false;
    const begun = await this.#carefully(async () => {
      await this.#parts.ask({ ask: 'begin', size: head.size, root: head.root });
      this.walk.value = { next: 1, size: head.size, done: false, broken: null, at: this.#parts.now() };
      return true;
    });
    return begun === true;
  }

  /** Tells whether there is another step. */
  async #stepWalk(): Promise<boolean> {
    const { value } = this.walk;
    if (value === null || value.done || value.broken !== null) return false;
    const walk = await this.#carefully(async () => {
      const page = await this.#raw(value.next, Math.min(value.size, value.next + PAGE - 1));
      return this.#parts.ask({ ask: 'take', page });
    });
    if (walk === null) return false;
    const at = this.#parts.now();
    this.walk.value = { ...walk, at };
    if (walk.broken !== null) this.#found(walk.broken.seq, walk.broken.why);
    if (walk.done) this.walked.value = { times: (this.walked.value?.times ?? 0) + 1, at, size: walk.size };
    return !walk.done && walk.broken === null;
  }

  #raw(from: number, to: number): Promise<RawPage> {
    return this.#parts.api.get<RawPage>(API.raw, { from, to });
  }

  /** A head with proof that it continues an older one; without, where the gateway cannot give it. */
  async #askHead(older: string | null): Promise<Head> {
    try {
      return await this.#parts.api.get<Head>(API.head, { older });
    } catch (error) {
      const gaveNone =
        error instanceof Refused && error.code !== 'unreachable' && error.code !== 'no_session';
      if (older === null || !gaveNone) throw error;
      return this.#parts.api.get<Head>(API.head);
    }
  }

  #found(seq: number | null, why: string): Finding {
    const finding = this.finding.value ?? { seq, why, at: this.#parts.now() };
    // An entry with a number says more than a head alone.
    const kept = finding.seq === null && seq !== null ? { seq, why, at: finding.at } : finding;
    this.finding.value = kept;
    this.#memory?.keep(kept);
    return kept;
  }

  /** A check that cannot be made is told, and is no finding: the gateway may be away. */
  async #carefully<Result>(check: () => Promise<Result>): Promise<Result | null> {
    try {
      const result = await check();
      this.problem.value = null;
      return result;
    } catch (error) {
      this.problem.value = error instanceof Error ? error.message : String(error);
      return null;
    }
  }
}
