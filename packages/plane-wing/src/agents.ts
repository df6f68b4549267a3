import type { GatewayConfig } from '@subluminal/core-types';
import type { Clock } from '@subluminal/gateway';
import type { EntryInput } from '@subluminal/ledger';
import {
  type Baselines,
  DEFAULT_SETTINGS,
  fold,
  forgotten,
  type Identity,
  learnt,
  NO_BASELINES,
  type PlaneEntry,
  type PlaneEvent,
  type PlaneSettings,
  type Role,
  roleOf,
  sightOf,
  withoutCheckpoint,
} from '@subluminal/plane';
import type { Told } from './follow/follower.js';
import type { Speaker } from './follow/speaker.js';
import type { PlaneRecord } from './recorded.js';
import { openingOf } from './states/kept-state.js';
import type { Followed, States } from './states/states.js';
import { Tally } from './tally.js';

/** A text that nobody took for so long is not told any more. */
const TEXT_MS = 600_000;

/** A text for an agent, and the entry that says so. */
export interface Given {
  readonly text: string;
  readonly entry: EntryInput;
}

/** The parts with which the events of agents are folded. */
export interface AgentsParts {
  readonly states: States;
  readonly record: PlaneRecord;
  readonly settings: () => GatewayConfig['plane'];
  /** The folder that a run works in; empty where it does not say, or is over. */
  readonly folderOf: (runId: string) => string;
  /** The agent of a run that lives, if the operator opened it and named it; else undefined. */
  readonly namedAgentOf: (runId: string) => string | undefined;
  /** A run has not ended, and neither has the process that holds it. */
  readonly isAlive: (runId: string) => boolean;
  readonly clock: Clock;
  readonly fold: typeof fold;
}

/** Folds the events of all agents, each into its own state, and writes what follows. */
export class Agents {
  readonly #parts: AgentsParts;
  readonly tally = new Tally();
  #baselines: Baselines = NO_BASELINES;
  #hasLearnt = false;

  constructor(parts: AgentsParts) {
    this.#parts = parts;
  }

  get baselines(): Baselines {
    return this.#baselines;
  }

  /** Something was learnt, or forgotten, that is not kept yet. */
  get hasLearnt(): boolean {
    return this.#hasLearnt;
  }

  /** Goes on with what was kept. */
  restore(baselines: Baselines): void {
    this.#baselines = baselines;
  }

  /** The next process has all that was learnt. */
  kept(): void {
    this.#hasLearnt = false;
  }

  /** Takes back everything that was learnt. Gives the number of rows. */
  forget(): number {
    const { length } = this.#baselines.rows;
    this.#baselines = forgotten(this.#baselines);
    this.#hasLearnt = true;
    return length;
  }

  /**
   * The identity of who speaks in that run. Any process can name any session: one that another run has, whose
   * process lives, is that one's, and this is another identity.
   */
  identityOf(runId: string, { agent, client, session }: Omit<Speaker, 'type'>): Identity {
    const { folderOf, isAlive, states } = this.#parts;
    const identity = { client, session, repository: folderOf(runId), agent };
    const owner = states.kept(identity)?.runId ?? '';
    return owner === '' || owner === runId || !isAlive(owner) ? identity : { ...identity, run: runId };
  }

  /** The role of who acts in that run. */
  roleOf(runId: string, { agent, client, type }: Omit<Speaker, 'session'>): Role {
    const { namedAgentOf, settings } = this.#parts;
    const { directors } = settings();
    if (directors.length === 0) return 'worker';
    return roleOf(directors, { client, agent: namedAgentOf(runId), isSubagent: agent !== '', type });
  }

  settingsFor(runId: string, speaker: Omit<Speaker, 'session'>): PlaneSettings {
    const modes = this.#parts.settings();
    const role = this.roleOf(runId, speaker);
    return { ...DEFAULT_SETTINGS, ...sightOf(speaker.client), modes, role, baselines: this.#baselines };
  }

  /** Takes the text that waits for an agent of that run, with the entry of it; undefined for none. */
  give(runId: string, speaker: Speaker): Given | undefined {
    const { clock, record, states } = this.#parts;
    const found = states.known(this.identityOf(runId, speaker));
    if (found?.waiting?.runId !== runId) return undefined;
    const { atMs, event, steer } = found.waiting;
    if (clock() - atMs > TEXT_MS) {
      this.#late(found);
      return undefined;
    }
    found.waiting = undefined;
    this.tally.add([steer]);
    return { text: steer.text, entry: record.entryOf(runId, found.identity, event, steer) };
  }

  /** Skips texts that nobody took, before states are kept: all of them where nobody can any more. */
  dropLate(all: boolean): void {
    const now = this.#parts.clock();
    for (const { agent, hasLeft } of this.#parts.states.told)
      if (all || hasLeft || now - (agent.waiting?.atMs ?? now) > TEXT_MS) this.#late(agent);
  }

  /** One event further. `isTold`: the record has already what follows from it, so nothing is written. */
  take({ event, forkOf, runId, seq, speaker }: Told, isTold: boolean): void {
    const before = forkOf === undefined ? undefined : this.identityOf(runId, forkOf);
    const found = this.#parts.states.of(this.identityOf(runId, speaker), before);
    if (found.runId !== runId) {
      // Any run of that folder can name the session: what it shows is no evidence in another one.
      found.state = withoutCheckpoint(found.state);
      found.runId = runId;
      this.#late(found);
    }
    if (speaker.type !== '') found.type = speaker.type;
    this.#step(found, event, seq, isTold);
  }

  #step(found: Followed, event: PlaneEvent, seq: number, isTold: boolean): void {
    const settings = this.settingsFor(found.runId, { ...found.identity, type: found.type });
    const { entries, state } = this.#parts.fold(found.state, event, settings);
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
    // A steer is recorded when it is given.
    this.#write(
      found,
      seq,
      entries.filter(({ type }) => type !== 'plane.steer'),
    );
    const steer = entries.find((entry) => entry.type === 'plane.steer');
    if (steer === undefined) return;
    this.#late(found);
    found.waiting = { steer, event: seq, runId: found.runId, atMs: this.#parts.clock() };
  }

  /** Nobody took the text that waits, if there is one. */
  #late(found: Followed): void {
    const { identity, waiting } = found;
    if (waiting === undefined) return;
    found.waiting = undefined;
    const { event, runId, steer } = waiting;
    const skip: PlaneEntry = { type: 'plane.skip', what: 'steer', window: steer.window, reason: 'late' };
    this.tally.add([skip]);
    this.#parts.record.write(runId, identity, event, [skip]);
  }

  #write({ identity, runId }: Followed, event: number, entries: readonly PlaneEntry[]): void {
    this.tally.add(entries);
    this.#parts.record.write(runId, identity, event, entries);
  }

  #learn(entries: readonly PlaneEntry[]): void {
    for (const entry of entries) {
      if (entry.type !== 'plane.window' || entry.what !== 'closed') continue;
      const now = learnt(this.#baselines, entry);
      this.#hasLearnt ||= now !== this.#baselines;
      this.#baselines = now;
    }
  }
}
