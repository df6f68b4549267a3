import {
  type GatewayConfig,
  type HookContextPayload,
  type JsonObject,
  PLANE_CLASSES,
  type ToolCallBeginPayload,
} from '@subluminal/core-types';
import { type Clock, errorText, type Logger, type Recorder } from '@subluminal/gateway';
import type { LedgerReader } from '@subluminal/ledger';
import { baselinesSchema, fold } from '@subluminal/plane';
import type { Database } from 'better-sqlite3';
import * as z from 'zod';
import { Agents, type Given } from './agents.js';
import { readAgain } from './follow/again.js';
import { type FollowedEntry, Follower, type Told } from './follow/follower.js';
import { keptLinks } from './follow/links.js';
import { openCall } from './follow/open-calls.js';
import { FOLLOWED, PREVIEW, type Recorded } from './follow/followed.js';
import { speakerNamed } from './follow/speaker.js';
import { gateClasses, NO_CLASSES } from './gate/classes.js';
import { type GateEffect, GateNotice } from './gate/notice.js';
import { Patience } from './patience.js';
import { PlaneRecord } from './recorded.js';
import { agentShown, learntShown } from './shown.js';
import { PlaneStore } from './states/plane-store.js';
import { type Followed, States } from './states/states.js';
import { Unsure } from './unsure.js';

/** Entries that wait to be looked at; what comes with more is not followed. */
const MAX_WAITING = 4096;

/** Entries that are looked at in one turn of the event loop. */
const IN_A_TURN = 32;

/** Agents that are shown, those seen last. */
const MAX_SHOWN = 32;

/** The keys of rows that are no state of an agent. */
const MARK = 'mark';
const BASELINES = 'baselines';
const LINKS = 'links';

/** How far the record was followed, and the calls that had not ended then. */
const markSchema = z.strictObject({ seq: z.int(), open: z.array(openCall).max(2048) });

/** Nothing is known to have followed from any event. */
const NOTHING_TOLD: ReadonlySet<number> = new Set();

/** The parts of a plane. */
export interface PlaneParts {
  readonly db: Database;
  readonly recorder: Pick<Recorder, 'append'>;
  readonly openReader: () => LedgerReader;
  readonly settings: () => GatewayConfig['plane'];
  /** Whether rules of the home's policy ask or block by the classes of a gate. */
  readonly gateEffect: () => GateEffect;
  /** The folder that a run works in; empty where it does not say, or is over. */
  readonly folderOf: (runId: string) => string;
  /** The agent of a run that lives, if the operator opened it and named it; else undefined. */
  readonly namedAgentOf: (runId: string) => string | undefined;
  /** A run has not ended, and neither has the process that holds it. */
  readonly isAlive: (runId: string) => boolean;
  /** The id of the ledger: it decides which sessions are left alone. */
  readonly ledgerId: string;
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
  readonly #store: PlaneStore;
  readonly #states: States;
  readonly #follower: Follower;
  readonly #record: PlaneRecord;
  readonly #agents: Agents;
  readonly #patience: Patience;
  readonly #unsure = new Unsure();
  readonly #gateNotice: GateNotice;
  #waiting: Recorded[] = [];
  #isDraining = false;
  #isOver = false;
  #mark = 0;
  #lost = 0;
  #failed = 0;

  constructor(parts: PlaneParts) {
    const { namedAgentOf, clock, db, folderOf, isAlive, ledgerId, monotonic, recorder, settings } = parts;
    this.#parts = parts;
    this.#store = new PlaneStore(db);
    this.#states = new States(this.#store, ledgerId);
    this.#follower = new Follower(folderOf, () => settings().form);
    this.#record = new PlaneRecord(recorder, clock);
    this.#agents = new Agents({
      states: this.#states,
      record: this.#record,
      settings,
      folderOf: (runId) => this.#follower.folders.of(runId),
      namedAgentOf,
      isAlive,
      clock,
      fold: parts.fold ?? fold,
    });
    this.#patience = new Patience(monotonic);
    this.#gateNotice = new GateNotice(parts.log);
  }

  /**
   * Goes on where the last process stopped: reads what was recorded since, up to the entry `head`. Events of
   * which the record says already what followed from them are folded, and nothing is written of them.
   */
  begin(head: number): void {
    const isDone = this.#orLog('what agents did meanwhile is not followed', () => {
      const kept = baselinesSchema.safeParse(this.#store.read(BASELINES));
      if (kept.success) this.#agents.restore(kept.data);
      const mark = markSchema.safeParse(this.#store.read(MARK));
      // In a home that nobody has followed yet the past stays as it is.
      if (!mark.success) return;
      this.#follower.restore(mark.data.open);
      const links = keptLinks.safeParse(this.#store.read(LINKS));
      if (links.success) this.#follower.links.restore(links.data);
      const { entries, folders, isWhole, told } = readAgain(this.#parts.openReader, mark.data.seq, head);
      for (const [runId, folder] of folders) this.#follower.folders.note(runId, folder);
      if (!isWhole) this.#unsure.noteAll();
      for (const entry of entries) this.#each(entry.runId, () => this.#follower.take(entry), told);
    });
    if (!isDone) this.#unsure.noteAll();
    this.#mark = head;
  }

  /** Takes note of entries that are durable, and looks at them later. Never throws. */
  take(recorded: readonly Recorded[]): void {
    if (this.#isStopped) return;
    for (const one of recorded) {
      if (!FOLLOWED.has(one.entry.type)) continue;
      if (this.#waiting.length < MAX_WAITING) this.#waiting.push(one);
      else this.#lose(one);
    }
    this.#soon();
  }

  /**
   * A text for an agent, in the answer to the event that its client tells just now, with the entry that has
   * to be durable before; undefined for none. It is given once. Never throws.
   */
  context(runId: string, payload: HookContextPayload): Given | undefined {
    if (!this.steers) return undefined;
    this.#drain(MAX_WAITING);
    this.#each(runId, () => this.#follower.ended(runId, payload));
    try {
      return this.#give(runId, payload);
    } catch (error) {
      this.#fail(runId, error);
      return undefined;
    }
  }

  #give(runId: string, payload: HookContextPayload): Given | undefined {
    const { agent_id: agent = '', session_id: session = '', via } = payload;
    const speaker = speakerNamed(runId, { client: via, session, agent, type: '' });
    return this.#agents.give(runId, speaker);
  }

  /**
   * The risk classes that a call has by the present window of its agent, while what is protected is gated:
   * rules of the policy ask for them. If that cannot be told, it has all of them: nobody knows of a
   * checkpoint. Never throws.
   */
  classesOf(runId: string, call: Pick<ToolCallBeginPayload, 'context' | 'via'>): readonly string[] {
    const { clock, settings } = this.#parts;
    if (settings().protected !== 'gate') return NO_CLASSES;
    try {
      if (!this.#isStopped) this.#drain(MAX_WAITING);
      const [follower, states, agents, unsure] = [this.#follower, this.#states, this.#agents, this.#unsure];
      return gateClasses({ follower, states, agents, unsure, settings, clock }, runId, call, this.#isStopped);
    } catch (error) {
      this.#fail(runId, error);
      return PLANE_CLASSES;
    }
  }

  /** The settings or the policy may be others: a gate that withholds nothing is said in the log. */
  lookAtGate(): void {
    this.#gateNotice.look(this.#gateEffect);
  }

  /** Some agent may be told something. */
  get steers(): boolean {
    const { low, ordinary, protected: risky } = this.#parts.settings();
    return !this.#isStopped && [low, ordinary, risky].some((mode) => mode !== 'observe');
  }

  /** Keeps what has changed, for the next process. */
  keep(): void {
    this.#orLog('what is known of agents could not be kept', () => {
      const now = this.#parts.clock();
      this.#agents.dropLate(this.#isOver);
      // Else a kill could lose entries that are decided and not written: the start folds from the mark on.
      if (this.#record.isWriting && !this.#isOver) return;
      const { rows: changed, done } = this.#states.toKeep();
      const rows = [...changed];
      const { baselines, hasLearnt } = this.#agents;
      if (hasLearnt) rows.push({ key: BASELINES, kept: baselines, usedMs: now });
      const { links } = this.#follower;
      if (links.isChanged) rows.push({ key: LINKS, kept: links.kept, usedMs: now });
      const open = [...this.#follower.open];
      this.#store.write([...rows, { key: MARK, kept: { seq: this.#mark, open }, usedMs: now }]);
      done();
      links.wereKept();
      this.#agents.kept();
    });
  }

  /** Looks at what waits, and follows nothing more. */
  stop(): void {
    this.#drain(MAX_WAITING);
    this.#isOver = true;
    this.#waiting = [];
    this.keep();
  }

  learnt(): readonly JsonObject[] {
    return learntShown(this.#agents.baselines);
  }

  /** Takes back everything that was learnt. Gives the number of rows. */
  forget(): number {
    const count = this.#agents.forget();
    this.keep();
    return count;
  }

  status(): JsonObject {
    return {
      ...this.#modes,
      follows: !this.#isStopped,
      entries: this.#agents.tally.json,
      gate: this.#gateEffect ?? null,
      // Entries of agents that were not looked at, and groups of entries of the plane.
      lost: this.#lost,
      unrecorded: this.#record.lost,
      failed: this.#failed,
      agents: this.#states.live
        .slice(-MAX_SHOWN)
        .toReversed()
        .map((one) => this.#shown(one)),
    };
  }

  get #gateEffect(): GateEffect | undefined {
    const { gateEffect, settings } = this.#parts;
    return settings().protected === 'gate' ? gateEffect() : undefined;
  }

  get #modes(): JsonObject {
    const { directors, form, low, ordinary, protected: risky } = this.#parts.settings();
    const modes = { low, ordinary, protected: risky };
    return { modes, directors: [...directors], form: form ? { ...form, fields: [...form.fields] } : null };
  }

  #shown(one: Followed): JsonObject {
    return agentShown(one, this.#agents.roleOf(one.runId, { ...one.identity, type: one.type }));
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
      this.#each(entry.runId, () => this.#follower.take(followedOf(seq, entry)));
      if (entry.type === 'run_end' && entry.runId !== null) this.#unsure.forget(entry.runId);
    }
  }

  #lose({ entry: { runId } }: Recorded): void {
    this.#lost += 1;
    if (runId !== null) this.#unsure.note(runId);
  }

  /** One event of a run, if there is one. Whatever goes wrong costs that event, and the gate its trust. */
  #each(runId: string | null, next: () => Told | undefined, told = NOTHING_TOLD): void {
    if (this.#isStopped) return;
    try {
      const found = next();
      if (found !== undefined) this.#patience.spend(() => this.#take(found, told.has(found.seq)));
    } catch (error) {
      this.#fail(runId, error);
    }
    if (this.#patience.isOver)
      this.#parts.log.warn('following agents takes too long, and ends until the next start');
  }

  #fail(runId: string | null, error: unknown): void {
    this.#failed += 1;
    if (runId !== null) this.#unsure.note(runId);
    if (this.#failed === 1)
      this.#parts.log.warn('an event could not be followed', { error: errorText(error) });
  }

  #take(found: Told, isTold: boolean): void {
    this.#agents.take(found, isTold);
    if (this.#states.isFull) this.keep();
  }

  /** Whether it was done. */
  #orLog(what: string, work: () => void): boolean {
    try {
      work();
      return true;
    } catch (error) {
      this.#parts.log.warn(what, { error: errorText(error) });
      return false;
    }
  }
}

function followedOf(seq: number, entry: Recorded['entry']): FollowedEntry {
  const { blobs, code, data, runId, tool, ts, type } = entry;
  return { seq, type, ts, runId, tool, data, code: code ?? null, preview: blobs?.[PREVIEW] ?? null };
}
