import {
  type GatewayConfig,
  type HookContextPayload,
  type JsonObject,
  PLANE_CLASSES,
  type ToolCallBeginPayload,
} from '@subluminal/core-types';
import { type Clock, errorText, type Logger, type Recorder } from '@subluminal/gateway';
import type { LedgerReader } from '@subluminal/ledger';
import {
  type Baselines,
  baselinesSchema,
  DEFAULT_SETTINGS,
  fold,
  forgotten,
  hasCheckpoint,
  type Identity,
  learnt,
  NO_BASELINES,
  type PlaneEntry,
  type PlaneEvent,
  type PlaneSettings,
  sightOf,
  waitsForCheckpoint,
  withoutCheckpoint,
} from '@subluminal/plane';
import type { Database } from 'better-sqlite3';
import * as z from 'zod';
import { readAgain } from './follow/again.js';
import { type FollowedEntry, Follower, type Told } from './follow/follower.js';
import type { Speaker } from './follow/links.js';
import { openCall } from './follow/open-calls.js';
import { FOLLOWED, PREVIEW, type Recorded } from './follow/followed.js';
import { Patience } from './patience.js';
import { PlaneRecord } from './recorded.js';
import { PlaneStore } from './states/plane-store.js';
import { openingOf } from './states/kept-state.js';
import { type Followed, States } from './states/states.js';
import { Tally } from './tally.js';

/** Entries that wait to be looked at; what comes with more is not followed. */
const MAX_WAITING = 4096;

/** Entries that are looked at in one turn of the event loop. */
const IN_A_TURN = 32;

/** A text that nobody took for so long is not told any more. */
const TEXT_MS = 600_000;

/** Agents that are shown, those seen last. */
const MAX_SHOWN = 32;

/** The keys of rows that are no state of an agent. */
const MARK = 'mark';
const BASELINES = 'baselines';

/** How far the record was followed, and the calls that had not ended then. */
const markSchema = z.strictObject({ seq: z.int(), open: z.array(openCall).max(2048) });

const NO_CLASSES: readonly string[] = [];

/** Nothing is known to have followed from any event. */
const NOTHING_TOLD: ReadonlySet<number> = new Set();

/** The parts of a plane. */
export interface PlaneParts {
  readonly db: Database;
  readonly recorder: Pick<Recorder, 'append'>;
  readonly openReader: () => LedgerReader;
  readonly settings: () => GatewayConfig['plane'];
  /** The folder that a run works in; empty where it does not say, or is over. */
  readonly folderOf: (runId: string) => string;
  readonly clock: Clock;
  /** Milliseconds of a clock that only goes forward. */
  readonly monotonic: () => number;
  readonly log: Logger;
  /** Decides what follows from an event; the real one unless given. */
  readonly fold?: typeof fold | undefined;
}

/**
 * The control plane, live: it follows what is recorded, and writes what it decides. It is asked for no
 * permission, so whatever becomes of it, calls go on.
 */
export class Plane {
  readonly #parts: PlaneParts;
  readonly #fold: typeof fold;
  readonly #store: PlaneStore;
  readonly #states: States;
  readonly #follower: Follower;
  readonly #record: PlaneRecord;
  readonly #patience: Patience;
  readonly #tally = new Tally();
  #baselines: Baselines = NO_BASELINES;
  #hasLearnt = false;
  #waiting: Recorded[] = [];
  #isDraining = false;
  #isOver = false;
  #mark = 0;
  #lost = 0;
  #failed = 0;

  constructor(parts: PlaneParts) {
    const { clock, db, folderOf, monotonic, recorder } = parts;
    this.#parts = parts;
    this.#fold = parts.fold ?? fold;
    this.#store = new PlaneStore(db);
    this.#states = new States(this.#store);
    this.#follower = new Follower(folderOf);
    this.#record = new PlaneRecord(recorder, clock);
    this.#patience = new Patience(monotonic);
  }

  /**
   * Goes on where the last process stopped: reads what was recorded since, up to the entry `head`. Events of
   * which the record says already what followed from them are folded, and nothing is written of them.
   */
  begin(head: number): void {
    this.#orLog('what agents did meanwhile is not followed', () => {
      const kept = baselinesSchema.safeParse(this.#store.read(BASELINES));
      if (kept.success) this.#baselines = kept.data;
      const mark = markSchema.safeParse(this.#store.read(MARK));
      // In a home that nobody has followed yet the past stays as it is.
      if (!mark.success) return;
      this.#follower.restore(mark.data.open);
      const { entries, told } = readAgain(this.#parts.openReader, mark.data.seq, head);
      for (const entry of entries) this.#each(() => this.#follower.take(entry), told);
    });
    this.#mark = head;
  }

  /** Takes note of entries that are durable, and looks at them later. Never throws. */
  take(recorded: readonly Recorded[]): void {
    if (this.#isStopped) return;
    for (const one of recorded) {
      if (!FOLLOWED.has(one.entry.type)) continue;
      if (this.#waiting.length >= MAX_WAITING) this.#lost += 1;
      else this.#waiting.push(one);
    }
    this.#soon();
  }

  /**
   * A text for an agent, in the answer to the event that its client tells just now; undefined for none. It is
   * given once. Never throws.
   */
  context(runId: string, payload: HookContextPayload): string | undefined {
    if (!this.steers) return undefined;
    this.#drain(MAX_WAITING);
    this.#each(() => this.#follower.ended(runId, payload));
    const { agent_id: agent = '', session_id: session = runId, via } = payload;
    const found = this.#states.known(this.#identityOf(runId, { client: via, session, agent }));
    const text = found?.text;
    if (found === undefined || text === undefined) return undefined;
    found.text = undefined;
    return this.#parts.clock() - text.atMs > TEXT_MS ? undefined : text.text;
  }

  /**
   * The risk classes that a call has by the present window of its agent, while what is protected is gated:
   * rules of the policy ask for them. If that cannot be told, it has all of them: nobody knows of a
   * checkpoint. Never throws.
   */
  classesOf(runId: string, call: Pick<ToolCallBeginPayload, 'context' | 'via'>): readonly string[] {
    const modes = this.#parts.settings();
    if (modes.protected !== 'gate') return NO_CLASSES;
    if (this.#isStopped) return PLANE_CLASSES;
    try {
      this.#drain(MAX_WAITING);
      const speaker = this.#follower.speakerOf(runId, call);
      const state = this.#states.state(this.#identityOf(runId, speaker));
      if (state === undefined) return PLANE_CLASSES;
      // By any agent of the run: a subagent may make the call.
      const isUntested =
        state.window.unchecked > 0 || this.#states.hasUnchecked(runId) || this.#follower.isChanging(runId);
      const hasEvidence = hasCheckpoint(state, this.#settingsFor(speaker), this.#parts.clock());
      const waits = waitsForCheckpoint(true, hasEvidence, { modes, role: 'worker' });
      return PLANE_CLASSES.filter((name) => (name === 'no_checkpoint' ? waits : isUntested));
    } catch (error) {
      this.#fail(error);
      return PLANE_CLASSES;
    }
  }

  /** Some agent may be told something. */
  get steers(): boolean {
    return !this.#isStopped && Object.values(this.#parts.settings()).some((mode) => mode !== 'observe');
  }

  /** Keeps what has changed, for the next process. */
  keep(): void {
    this.#orLog('what is known of agents could not be kept', () => {
      const now = this.#parts.clock();
      // Else a kill could lose entries that are decided and not written: the start folds from the mark on.
      if (this.#record.isWriting && !this.#isOver) return;
      const { rows: changed, done } = this.#states.toKeep();
      const rows = [...changed];
      if (this.#hasLearnt) rows.push({ key: BASELINES, kept: this.#baselines, usedMs: now });
      const open = [...this.#follower.open];
      this.#store.write([...rows, { key: MARK, kept: { seq: this.#mark, open }, usedMs: now }]);
      done();
      this.#hasLearnt = false;
    });
  }

  /** Looks at what waits, and follows nothing more. */
  stop(): void {
    this.#drain(MAX_WAITING);
    this.#isOver = true;
    this.#waiting = [];
    this.keep();
  }

  /** The lengths of windows that were learnt, a row a repository, kind of task and mix of tools. */
  learnt(): readonly JsonObject[] {
    return this.#baselines.rows.map(({ actions, key, ms }) => {
      const [repository = '', task = '', mix = ''] = key.split(' ');
      const windows = actions.length;
      return { repository, task, mix, windows, actions: middleOf(actions), ms: middleOf(ms) };
    });
  }

  /** Takes back everything that was learnt. Gives the number of rows. */
  forget(): number {
    const { length } = this.#baselines.rows;
    this.#baselines = forgotten(this.#baselines);
    this.#hasLearnt = true;
    this.keep();
    return length;
  }

  status(): JsonObject {
    return {
      modes: { ...this.#parts.settings() },
      follows: !this.#isStopped,
      entries: this.#tally.json,
      lost: this.#lost + this.#record.lost,
      failed: this.#failed,
      agents: this.#states.live.slice(-MAX_SHOWN).toReversed().map(agentJson),
    };
  }

  get #isStopped(): boolean {
    return this.#isOver || this.#patience.isOver;
  }

  #soon(): void {
    if (this.#isDraining || this.#waiting.length === 0) return;
    this.#isDraining = true;
    setImmediate(() => {
      this.#isDraining = false;
      this.#drain(IN_A_TURN);
      this.#soon();
    });
  }

  #drain(most: number): void {
    for (const { entry, seq } of this.#waiting.splice(0, most)) {
      if (this.#isStopped) return;
      // This one stood in the record when the process began, and was read there.
      if (seq <= this.#mark) continue;
      this.#mark = seq;
      this.#each(() => this.#follower.take(followedOf(seq, entry)));
    }
  }

  /** One event, if there is one. Whatever goes wrong costs that event, and nothing else. */
  #each(next: () => Told | undefined, told = NOTHING_TOLD): void {
    if (this.#isStopped) return;
    try {
      const found = next();
      if (found !== undefined) this.#patience.spend(() => this.#told(found, told.has(found.seq)));
    } catch (error) {
      this.#fail(error);
    }
    if (this.#patience.isOver)
      this.#parts.log.warn('following agents takes too long, and ends until the next start');
  }

  #fail(error: unknown): void {
    this.#failed += 1;
    if (this.#failed === 1)
      this.#parts.log.warn('an event could not be followed', { error: errorText(error) });
  }

  #told({ event, forkOf, runId, seq, speaker }: Told, isTold: boolean): void {
    const before = forkOf === undefined ? undefined : this.#identityOf(runId, forkOf);
    const found = this.#states.of(this.#identityOf(runId, speaker), before);
    if (found.runId !== runId) {
      // Any run of that folder can name the session: what it shows is no evidence in another one.
      found.state = withoutCheckpoint(found.state);
      found.runId = runId;
    }
    this.#step(found, event, seq, isTold);
    if (this.#states.isFull) this.keep();
  }

  #step(found: Followed, event: PlaneEvent, seq: number, isTold: boolean): void {
    const { entries, state } = this.#fold(found.state, event, this.#settingsFor(found.identity));
    found.state = state;
    found.isChanged = true;
    this.#learn(entries);
    if (isTold) found.opening = null;
    if (isTold || entries.length === 0) return;
    const { opening } = found;
    // More than the first opening would be a second window.
    const quiet = opening?.entries.length === 0 ? openingOf(seq, entries) : undefined;
    if (quiet !== undefined) {
      found.opening = quiet;
      return;
    }
    found.opening = null;
    if (opening !== null) this.#write(found, opening.event, opening.entries);
    this.#write(found, seq, entries);
    const steer = entries.find((entry) => entry.type === 'plane.steer');
    if (steer !== undefined) found.text = { text: steer.text, atMs: this.#parts.clock() };
  }

  #write({ identity, runId }: Followed, event: number, entries: readonly PlaneEntry[]): void {
    this.#tally.add(entries);
    this.#record.write(runId, identity, event, entries);
  }

  #learn(entries: readonly PlaneEntry[]): void {
    for (const entry of entries) {
      if (entry.type !== 'plane.window' || entry.what !== 'closed') continue;
      const now = learnt(this.#baselines, entry);
      this.#hasLearnt ||= now !== this.#baselines;
      this.#baselines = now;
    }
  }

  #identityOf(runId: string, { agent, client, session }: Speaker): Identity {
    return { client, session, repository: this.#follower.folders.of(runId), agent };
  }

  #settingsFor({ client }: Speaker): PlaneSettings {
    const modes = this.#parts.settings();
    return { ...DEFAULT_SETTINGS, ...sightOf(client), modes, baselines: this.#baselines };
  }

  #orLog(what: string, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#parts.log.warn(what, { error: errorText(error) });
    }
  }
}

function middleOf(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

function agentJson({ identity, runId, state }: Followed): JsonObject {
  const { agent, client, session } = identity;
  const { actions, checkpoint, number, sinceMs, tier } = state.window;
  return {
    client,
    session,
    agent,
    run_id: runId,
    held_out: state.isHeldOut,
    window: { number, tier, actions, since: new Date(sinceMs).toISOString(), checkpoint },
    seen_at: new Date(state.nowMs).toISOString(),
  };
}

function followedOf(seq: number, entry: Recorded['entry']): FollowedEntry {
  const { blobs, code, data, runId, tool, ts, type } = entry;
  return { seq, type, ts, runId, tool, data, code: code ?? null, preview: blobs?.[PREVIEW] ?? null };
}
