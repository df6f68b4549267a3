import { signal } from '@preact/signals';
import { numberAt, type JsonValue } from '@subluminal/core-types/portable';
import { API, type Head, type Proof, type RawPage } from '../../src/protocol/index.js';
import { Refused, type Api } from '../wire/api.js';
import type { AskWorker } from './ask-worker.js';
import type { Shown, Walk } from './chain.js';
import { memoryOf, type Finding, type Memory, type Seen } from './memory.js';

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

/** A check that may fail by itself. */
type CheckName = 'head' | 'record' | 'walk';

/** The parts of the watch. */
export interface WatchParts {
  readonly api: Api;
  readonly ask: AskWorker;
  readonly storage: Storage;
  /** The newest entry that the page was told of, if it was told of one. */
  readonly newest: () => number | undefined;
  readonly now: () => number;
}

const PAGE = 1000;
const IDLE_MS = 5000;
/** Beside calls, which pay for it. */
const BUSY_MS = 20_000;
/** Records of so few entries are hashed whole as the page opens: a moment's work. */
const AT_ONCE = 20_000;
const HEAD_EVERY_MS = 30_000;
/** Entries of one record that are checked; one with more was not made by calls. */
const MOST_SHOWN = 1000;
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
  /** Why a check could not be made at all: that of the head before that of entries. */
  readonly problem = signal<string | null>(null);
  /** Other ledgers that this browser knew of the same home: the record was begun anew, or replaced. */
  readonly others = signal<readonly string[]>([]);
  /** The checkpoint of an earlier visit that the newest head continues: its entries, and when it was seen. */
  readonly before = signal<(Seen & { readonly size: number }) | null>(null);
  /** When the first entry was written, in epoch ms, as the walk that began last read it. */
  readonly since = signal<number | null>(null);
  readonly #parts: WatchParts;
  #visit: Seen | null = null;
  #memory: Memory | null = null;
  #ledger = '';
  #timer: ReturnType<typeof setTimeout> | undefined;
  #headAt = 0;
  /** `newest` as the last step ended. */
  #newest: number | undefined;
  /** The walk of the worker that `walk` tells of. */
  #walkId = 0;
  /** Counts what was forgotten: an answer that was asked for before is thrown away. */
  #forgotten = 0;
  #isOver = false;
  readonly #problems = new Map<CheckName, string>();
  /** Walks and steps are made one after the other: the worker has one walk. */
  #turns: Promise<unknown> = Promise.resolve();
  #whole: Promise<void> | null = null;

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  /** Begins with the ledger of a home: what was found on an earlier visit stands, too. */
  async begin(ledger: string, home: string): Promise<void> {
    if (this.#ledger === ledger) return;
    this.#ledger = ledger;
    this.#memory = memoryOf(this.#parts.storage, ledger, home);
    this.others.value = this.#memory.others();
    this.#visit = this.#memory.seen();
    this.finding.value = this.#memory.finding();
    await this.checkHead();
    if ((this.head.value?.size ?? Number.POSITIVE_INFINITY) <= AT_ONCE) await this.checkAll();
    else this.#later();
  }

  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  /** Fetches the newest signed head and judges it. */
  async checkHead(): Promise<void> {
    const forgotten = this.#forgotten;
    await this.#carefully('head', async () => {
      const remembered = this.#memory?.remembered() ?? null;
      const head = await this.#askHead(remembered?.note ?? null);
      const verdict = await this.#parts.ask({
        ask: 'head',
        head: { ledger: this.#ledger, key: head.key, note: head.note, growth: head.growth, remembered },
      });
      if (forgotten !== this.#forgotten) return;
      this.#headAt = this.#parts.now();
      if (!verdict.ok) {
        this.#found(null, verdict.why);
        return;
      }
      this.head.value = { ...verdict, note: head.note, key: head.key, at: this.#headAt };
      if (this.#visit !== null && verdict.continues !== null)
        this.before.value ??= { ...this.#visit, size: verdict.continues };
      // While something does not fit, the last checkpoint that did is the one to hold on to.
      if (this.finding.value === null)
        this.#memory?.remember({ key: head.key, note: head.note }, this.#headAt);
    });
  }

  /**
   * Hashes the entries of a record again, compares what is shown of each with its content, and has the last
   * one proved under the head. Entries that lie far apart are proved each by itself.
   */
  async checkRecord(shown: readonly Shown[]): Promise<RecordSeen> {
    const seqs = shown.map(({ seq }) => seq);
    const [first, last] = [Math.min(...seqs), Math.max(...seqs)];
    if (shown.length === 0 || shown.length > MOST_SHOWN) return 'unchecked';
    if (last - first < PAGE) return this.#checkRange(first, last, shown);
    let seen: RecordSeen = 'proved';
    for (const one of shown) {
      const found = await this.#checkRange(one.seq, one.seq, [one]);
      if (found === 'unchecked' || typeof found === 'object') return found;
      if (found === 'hashed') seen = found;
    }
    return seen;
  }

  /** Verifies every entry at once. A second call while it goes on waits for the same walk. */
  checkAll(): Promise<void> {
    clearTimeout(this.#timer);
    this.#whole ??= this.#inTurn(async () => {
      await this.checkHead();
      if (await this.#beginWalk()) while (await this.#stepWalk());
    }).finally(() => {
      this.#whole = null;
      this.#later();
    });
    return this.#whole;
  }

  /** A person says that they know: the finding and the remembered checkpoint are dropped. */
  async forget(): Promise<void> {
    // A walk under way ends at its next step, and what it finds does not count.
    this.#forgotten += 1;
    this.#memory?.forget();
    this.others.value = [];
    this.finding.value = null;
    // Nothing counts as whole before it is looked at anew.
    this.walk.value = null;
    this.walked.value = null;
    this.head.value = null;
    this.before.value = null;
    this.#visit = null;
    await this.checkHead();
  }

  async #checkRange(first: number, last: number, shown: readonly Shown[]): Promise<RecordSeen> {
    const forgotten = this.#forgotten;
    const seen = await this.#carefully('record', async (): Promise<RecordSeen> => {
      const page = await this.#raw(first, last);
      const range = await this.#parts.ask({ ask: 'range', page, first, shown });
      if (!range.ok) return this.#found(range.broken.seq, range.broken.why);
      const isOld = this.#parts.now() - this.#headAt > FRESH_MS;
      if (isOld && (this.head.value?.size ?? 0) < last) await this.checkHead();
      const head = this.head.value;
      if (range.last < last) return 'unchecked';
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
      if (forgotten !== this.#forgotten) return 'unchecked';
      return stands.ok ? 'proved' : this.#found(last, stands.why);
    });
    return seen ?? 'unchecked';
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#turns.then(work);
    this.#turns = turn.catch(() => undefined);
    return turn;
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
    if (this.#isOver) return;
    const newest = this.#parts.newest();
    const isBusy = this.#newest !== undefined && newest !== this.#newest;
    this.#newest = newest;
    this.#timer = setTimeout(
      () => {
        void this.#inTurn(() => this.#idle()).finally(() => {
          if (this.#whole === null) this.#later();
        });
      },
      isBusy ? BUSY_MS : IDLE_MS,
    );
  }

  async #beginWalk(): Promise<boolean> {
    const head = this.head.value;
    if (head === null || head.size === 0 || this.#isOver) return false;
    const begun = await this.#carefully('walk', async () => {
      this.#walkId = await this.#parts.ask({ ask: 'begin', size: head.size, root: head.root });
      this.walk.value = { next: 1, size: head.size, done: false, broken: null, at: this.#parts.now() };
      return true;
    });
    return begun === true;
  }

  /** Tells whether there is another step. */
  async #stepWalk(): Promise<boolean> {
    const { value } = this.walk;
    if (value === null || value.done || value.broken !== null || this.#isOver) return false;
    const [walk, forgotten] = [this.#walkId, this.#forgotten];
    const stands = await this.#carefully('walk', async () => {
      const page = await this.#raw(value.next, Math.min(value.size, value.next + PAGE - 1));
      if (value.next === 1) this.since.value = timeOf(page);
      return this.#parts.ask({ ask: 'take', walk, page });
    });
    // A page that belongs to an earlier walk says nothing of this one.
    if (stands === null || forgotten !== this.#forgotten) {
      if (stands === null && !this.#problems.has('walk')) this.walk.value = null;
      return false;
    }
    const at = this.#parts.now();
    this.walk.value = { ...stands, at };
    if (stands.broken !== null) this.#found(stands.broken.seq, stands.broken.why);
    if (stands.done)
      this.walked.value = { times: (this.walked.value?.times ?? 0) + 1, at, size: stands.size };
    return !stands.done && stands.broken === null;
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

  /**
   * A check that cannot be made is told, and is no finding: the gateway may be away. It is told until that
   * very check succeeds: an entry that fits says nothing of a head that is not given.
   */
  async #carefully<Result>(of: CheckName, check: () => Promise<Result>): Promise<Result | null> {
    try {
      const result = await check();
      this.#problems.delete(of);
      return result;
    } catch (error) {
      this.#problems.set(of, error instanceof Error ? error.message : String(error));
      return null;
    } finally {
      const { head, record, walk } = Object.fromEntries(this.#problems);
      this.problem.value = head ?? walk ?? record ?? null;
    }
  }
}

/** The time of the first entry of a page. */
function timeOf({ entries: [first] }: RawPage): number | null {
  try {
    const body: JsonValue = first === undefined ? null : JSON.parse(first.body);
    return numberAt(body, 'ts') ?? null;
  } catch {
    // A body that is none is found by its hash.
    return null;
  }
}
