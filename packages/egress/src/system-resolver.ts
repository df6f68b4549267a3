import { SublError } from '@subluminal/core-types';
import { promises as dns } from 'node:dns';
import type { Resolver } from './resolve.js';

/** How many look-ups of the system one run has under way. */
const RUN_LOOKUPS = 2;
/** Names that one run, and that all together wait for. */
const MAX_RUN_WAITING = 16;
const MAX_WAITING = 256;
/**
 * The system cannot be told to stop. A name without an answer for this long counts as silent, however long
 * the look-up goes on.
 */
const SILENT_MS = 10_000;
/** How long, and of how many names, it is remembered that there was no answer. */
const REMEMBERED_MS = 5000;
const MAX_REMEMBERED = 1024;
/** How long it is remembered that a run asked for a silent name. */
const SILENT_RUN_MS = 60_000;

/** A run by its id, undefined for the operator. */
type Asker = string | undefined;

/** A name that is being looked up, or waits for that. */
interface Lookup {
  readonly host: string;
  readonly answer: Promise<readonly string[]>;
  readonly find: (addresses: readonly string[]) => void;
  readonly fail: (error: Error) => void;
  /** The askers that wait for the answer, each as often as it asks. */
  readonly askers: Asker[];
  isRunning: boolean;
}

/** The system's own look-up, its places and its clock, unless tests bring others. */
export interface SystemResolverParts {
  readonly ask?: (host: string) => Promise<readonly string[]>;
  /** Look-ups that the system does at once. */
  readonly places?: number;
  /** Milliseconds of a clock that only goes forward. */
  readonly monotonic?: () => number;
}

/**
 * The resolver of the operating system, hosts file included. An asker for a name that is being looked up
 * already gets the same answer. The system has few places, and each is taken for as long as a name server
 * keeps silent. All runs together leave one to the operator. A run has two at once while less than half of
 * the runs' places are taken, and one from then on. Runs whose names were silent lately have at most half of
 * them together. Of the runs that wait, the one with the fewest places goes first. Rejects with `overloaded`
 * when too many names wait, with `timed_out` for a silent one, and otherwise with the error of `node:dns`.
 */
export class SystemResolver implements Resolver {
  readonly #lookups = new Map<string, Lookup>();
  /** By asker, how many look-ups are under way in its name. */
  readonly #running = new Map<Asker, number>();
  readonly #failed = new Map<string, { readonly until: number; readonly error: Error }>();
  /** Runs that asked for a silent name, and until when that counts. */
  readonly #silent = new Map<string, number>();
  readonly #ask: (host: string) => Promise<readonly string[]>;
  readonly #places: number;
  readonly #monotonic: () => number;

  constructor({ ask = askSystem, places = systemPlaces(), monotonic }: SystemResolverParts = {}) {
    this.#ask = ask;
    this.#places = Math.max(2, places);
    this.#monotonic = monotonic ?? ((): number => performance.now());
  }

  async resolve(host: string, signal: AbortSignal, asker: Asker): Promise<readonly string[]> {
    const failed = this.#failed.get(host);
    if (failed !== undefined && failed.until > this.#monotonic()) throw failed.error;
    const lookup = this.#lookups.get(host) ?? this.#open(host, asker);
    lookup.askers.push(asker);
    const leave = (): void => this.#leave(lookup, asker);
    signal.addEventListener('abort', leave, { once: true });
    this.#next();
    try {
      return await lookup.answer;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  #open(host: string, asker: Asker): Lookup {
    const waiting = [...this.#lookups.values()].filter(({ isRunning }) => !isRunning);
    const own = waiting.filter(({ askers }) => askers.includes(asker)).length;
    if (waiting.length >= MAX_WAITING || (asker !== undefined && own >= MAX_RUN_WAITING))
      throw new SublError('overloaded', `too many names are being resolved to look up \`${host}\``);
    let find: Lookup['find'] = () => undefined;
    let fail: Lookup['fail'] = () => undefined;
    const answer = new Promise<readonly string[]>((resolve, reject) => {
      [find, fail] = [resolve, reject];
    });
    // Everybody who waits may have left.
    answer.catch(() => undefined);
    const lookup = { host, answer, find, fail, askers: [], isRunning: false };
    this.#lookups.set(host, lookup);
    return lookup;
  }

  /** A name that nobody waits for any more is not looked up. */
  #leave(lookup: Lookup, asker: Asker): void {
    const at = lookup.askers.indexOf(asker);
    if (at >= 0) lookup.askers.splice(at, 1);
    if (lookup.askers.length > 0 || lookup.isRunning) return;
    if (this.#lookups.get(lookup.host) === lookup) this.#lookups.delete(lookup.host);
    lookup.fail(new SublError('timed_out', `nobody waits for \`${lookup.host}\``));
  }

  /** Begins what there is room for. */
  #next(): void {
    for (let found = this.#choose(); found !== undefined; found = this.#choose())
      void this.#run(found.lookup, found.asker);
  }

  /** The look-up that goes first, in whose name; the one that waits longest among equals. */
  #choose(): { readonly lookup: Lookup; readonly asker: Asker } | undefined {
    let best: { readonly lookup: Lookup; readonly asker: Asker; readonly has: number } | undefined;
    for (const lookup of this.#lookups.values()) {
      if (lookup.isRunning) continue;
      for (const asker of lookup.askers) {
        // The operator goes before every run.
        const has = asker === undefined ? -1 : this.#countOf(asker);
        if (this.#mayRun(asker) && (best === undefined || has < best.has)) best = { lookup, asker, has };
      }
    }
    return best;
  }

  #mayRun(asker: Asker): boolean {
    let all = 0;
    let silent = 0;
    for (const [of, count] of this.#running) {
      all += count;
      if (this.#wasSilent(of)) silent += count;
    }
    if (all >= this.#places) return false;
    if (asker === undefined) return true;
    const room = this.#places - 1;
    const [runs, own] = [all - this.#countOf(undefined), this.#countOf(asker)];
    if (runs >= room || own >= RUN_LOOKUPS || (own > 0 && runs >= room / 2)) return false;
    return !this.#wasSilent(asker) || silent < Math.max(1, Math.floor(room / 2));
  }

  #wasSilent(asker: Asker): boolean {
    return asker !== undefined && (this.#silent.get(asker) ?? 0) > this.#monotonic();
  }

  #countOf(asker: Asker): number {
    return this.#running.get(asker) ?? 0;
  }

  async #run(lookup: Lookup, asker: Asker): Promise<void> {
    const { host } = lookup;
    lookup.isRunning = true;
    this.#running.set(asker, this.#countOf(asker) + 1);
    const silent = setTimeout(() => {
      const error = new SublError('timed_out', `nobody answered for \`${host}\` within ${SILENT_MS} ms`);
      this.#remember(host, error);
      if (asker !== undefined) remember(this.#silent, asker, this.#monotonic() + SILENT_RUN_MS);
      lookup.fail(error);
    }, SILENT_MS).unref();
    try {
      lookup.find(await this.#ask(host));
    } catch (error) {
      const known = error instanceof Error ? error : new Error(String(error));
      this.#remember(host, known);
      lookup.fail(known);
    } finally {
      clearTimeout(silent);
      this.#lookups.delete(host);
      const left = this.#countOf(asker) - 1;
      if (left > 0) this.#running.set(asker, left);
      else this.#running.delete(asker);
      this.#next();
    }
  }

  #remember(host: string, error: Error): void {
    remember(this.#failed, host, { until: this.#monotonic() + REMEMBERED_MS, error });
  }
}

/** Of too many the oldest goes. */
function remember<T>(known: Map<string, T>, key: string, value: T): void {
  known.delete(key);
  const oldest = known.size < MAX_REMEMBERED ? undefined : known.keys().next().value;
  if (oldest !== undefined) known.delete(oldest);
  known.set(key, value);
}

/** Node resolves names on the threads of libuv, which gives half of them to what may take long. */
function systemPlaces(): number {
  const threads = Number(process.env['UV_THREADPOOL_SIZE'] ?? '4');
  return Math.floor(((Number.isInteger(threads) && threads > 0 ? Math.min(threads, 1024) : 4) + 1) / 2);
}

async function askSystem(host: string): Promise<readonly string[]> {
  const found = await dns.lookup(host, { all: true, verbatim: true });
  return found.map((entry) => entry.address);
}
