import {
  forkedState,
  type Identity,
  keyOf,
  type PlaneState,
  startOfState,
  type Steer,
} from '@subluminal/plane';
import { dropFirst } from '../drop-first.js';
import { type KeptState, type Opening, readKept } from './kept-state.js';
import type { PlaneRow, PlaneStore } from './plane-store.js';

/** States in memory; the others stand in `gateway.db`. */
const MAX_LIVE = 512;

/** A text that an agent has not been given yet. */
export interface WaitingText {
  readonly steer: Steer;
  /** The event that led to it, its run, and when that was. */
  readonly event: number;
  readonly runId: string;
  readonly atMs: number;
}

/** An agent whose work is followed. */
export interface Followed {
  readonly key: string;
  readonly identity: Identity;
  /** The run in which it was seen last. */
  runId: string;
  /** The type of a subagent, as its client told it last; empty for none. */
  type: string;
  state: PlaneState;
  /** Entries that wait for the first decision; null once they are written. */
  opening: Opening | null;
  /** A text that waits for the next event that takes one. */
  waiting: WaitingText | undefined;
  isChanged: boolean;
}

/** The states of agents, by their keys: those seen last in memory, and all that are kept in the store. */
export class States {
  readonly #store: PlaneStore;
  readonly #live = new Map<string, Followed>();
  /** Changed states that had to make room, until they are kept. */
  #left: Followed[] = [];

  readonly #salt: string;

  /** `salt`: of the record, as `isHeldOut` takes it. */
  constructor(store: PlaneStore, salt: string) {
    this.#store = store;
    this.#salt = salt;
  }

  /** The states in memory, the one seen last at the end. */
  get live(): readonly Followed[] {
    return [...this.#live.values()];
  }

  /** The state of an identity that is in memory. */
  known(identity: Identity): Followed | undefined {
    return this.#live.get(keyOf(identity));
  }

  /** The state of an identity and its run, also if it was not seen for long; undefined for none. */
  kept(identity: Identity): Pick<KeptState, 'runId' | 'state'> | undefined {
    return this.known(identity) ?? this.#stored(keyOf(identity));
  }

  /** Agents for whom a text waits. One that had to make room is forgotten once it is kept. */
  get told(): readonly { readonly agent: Followed; readonly hasLeft: boolean }[] {
    const left = this.#left.map((agent) => ({ agent, hasLeft: true }));
    const live = [...this.#live.values()].map((agent) => ({ agent, hasLeft: false }));
    return [...left, ...live].filter(({ agent }) => agent.waiting !== undefined);
  }

  /** Some agent of that run, of those seen last, has changed something that was not checked. */
  hasUnchecked(runId: string): boolean {
    for (const one of this.#live.values())
      if (one.runId === runId && one.state.window.unchecked > 0) return true;
    return false;
  }

  /**
   * The state of an identity: as it was, or that of the session that it goes on from, or a new one. Its
   * `runId` is the run in which it was seen before, and empty where that is not known.
   */
  of(identity: Identity, forkOf?: Identity): Followed {
    const key = keyOf(identity);
    const found = this.#live.get(key) ??
      this.#back(key) ?? {
        key,
        identity,
        type: '',
        ...(readKept(this.#store.read(key)) ?? this.#begun(identity, forkOf)),
        waiting: undefined,
        isChanged: false,
      };
    this.#live.delete(key);
    this.#live.set(key, found);
    const left = dropFirst(this.#live, MAX_LIVE);
    if (left !== undefined && (left.isChanged || left.waiting !== undefined)) this.#left.push(left);
    return found;
  }

  /** The rows that have changed since they were kept last; `done` says that they are kept. */
  toKeep(): { readonly rows: readonly PlaneRow[]; readonly done: () => void } {
    const all = [...this.#left, ...this.#live.values()].filter(({ isChanged }) => isChanged);
    const rows = all.map(({ key, opening, runId, state }) => ({
      key,
      kept: { state, opening, runId },
      usedMs: state.nowMs,
    }));
    return {
      rows,
      done: () => {
        this.#left = [];
        for (const one of all) one.isChanged = false;
      },
    };
  }

  /** More states than this have changed, and wait to be kept. */
  get isFull(): boolean {
    return this.#left.length >= MAX_LIVE;
  }

  /** One that had to make room and is not kept yet is as it was, with the text that waits for it. */
  #back(key: string): Followed | undefined {
    const back = this.#left.find((one) => one.key === key);
    if (back !== undefined) this.#left = this.#left.filter((one) => one !== back);
    return back;
  }

  #stored(key: string): KeptState | undefined {
    const left = this.#left.find((one) => one.key === key);
    if (left === undefined) return readKept(this.#store.read(key));
    const { opening, runId, state } = left;
    return { opening, runId, state };
  }

  #begun(identity: Identity, forkOf: Identity | undefined): KeptState {
    const other = forkOf === undefined ? undefined : keyOf(forkOf);
    const before = other === undefined ? undefined : (this.#live.get(other) ?? this.#stored(other));
    const state =
      before === undefined
        ? startOfState(identity, this.#salt)
        : forkedState(before.state, identity, this.#salt);
    return { state, opening: NOTHING, runId: '' };
  }
}

/** Nothing waits to be written yet. */
const NOTHING: Opening = { event: 0, entries: [] };
