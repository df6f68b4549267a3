import type { GatewayConfig } from '@subluminal/core-types';
import type { Clock } from '@subluminal/gateway';
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

/** The parts with which the events of agents are folded. */
export interface AgentsParts {
  readonly states: States;
  readonly record: PlaneRecord;
  readonly settings: () => GatewayConfig['plane'];
  /** The folder that a run works in; empty where it does not say, or is over. */
  readonly folderOf: (runId: string) => string;
  /** The agent of a run that lives and that the operator opened; undefined for every other run. */
  readonly attestedAgentOf: (runId: string) => string | undefined;
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

  identityOf(runId: string, { agent, client, session }: Omit<Speaker, 'type'>): Identity {
    return { client, session, repository: this.#parts.folderOf(runId), agent };
  }

  /** The role of who acts in that run. */
  roleOf(runId: string, { agent, client, type }: Omit<Speaker, 'session'>): Role {
    const { attestedAgentOf, settings } = this.#parts;
    const { directors } = settings();
    if (directors.length === 0) return 'worker';
    return roleOf(directors, { client, agent: attestedAgentOf(runId), isSubagent: agent !== '', type });
  }

  settingsFor(runId: string, speaker: Omit<Speaker, 'session'>): PlaneSettings {
    const modes = this.#parts.settings();
    const role = this.roleOf(runId, speaker);
    return { ...DEFAULT_SETTINGS, ...sightOf(speaker.client), modes, role, baselines: this.#baselines };
  }

  /** One event further. `isTold`: the record has already what follows from it, so nothing is written. */
  take({ event, forkOf, runId, seq, speaker }: Told, isTold: boolean): void {
    const before = forkOf === undefined ? undefined : this.identityOf(runId, forkOf);
    const found = this.#parts.states.of(this.identityOf(runId, speaker), before);
    if (found.runId !== runId) {
      // Any run of that folder can name the session: what it shows is no evidence in another one.
      found.state = withoutCheckpoint(found.state);
      found.runId = runId;
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
    this.#write(found, seq, entries);
    const steer = entries.find((entry) => entry.type === 'plane.steer');
    if (steer !== undefined) found.text = { text: steer.text, atMs: this.#parts.clock() };
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
