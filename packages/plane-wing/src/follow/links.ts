import * as z from 'zod';
import { dropFirst } from '../drop-first.js';
import { type Speaker, speakerSchema } from './speaker.js';

/** Sessions that are remembered of one run, and calls of which a hook told first. */
const MAX_RUNS = 1024;
const MAX_SESSIONS = 8;
const MAX_CALLS = 256;

/** So many runs, those heard of last, and calls of each are kept for the next process. */
const KEPT_RUNS = 128;
const KEPT_CALLS = 8;

/** Links as they are kept. */
export const keptLinks = z.strictObject({
  runs: z
    .array(
      z.strictObject({
        runId: z.string().max(64),
        sessions: z.array(speakerSchema).max(MAX_SESSIONS),
        calls: z.array(z.tuple([z.string().max(256), speakerSchema])).max(KEPT_CALLS),
      }),
    )
    .max(KEPT_RUNS),
});

export type KeptLinks = Readonly<z.infer<typeof keptLinks>>;

interface OfRun {
  /** The newest last. */
  readonly sessions: Map<string, Speaker>;
  readonly calls: Map<string, Speaker>;
}

/**
 * Whose call a message is. A hook tells of it under the client's own id before the message comes; a message
 * without one belongs to the only session of its run.
 */
export class Links {
  readonly #runs = new Map<string, OfRun>();
  #isChanged = false;

  /** Something was heard that is not kept yet. */
  get isChanged(): boolean {
    return this.#isChanged;
  }

  /** Links for the next process. */
  get kept(): KeptLinks {
    const runs = [...this.#runs].slice(-KEPT_RUNS).map(([runId, { calls, sessions }]) => ({
      runId,
      sessions: [...sessions.values()],
      calls: [...calls].filter(([id]) => id.length <= 256).slice(-KEPT_CALLS),
    }));
    return { runs };
  }

  /** The next process has it. */
  wereKept(): void {
    this.#isChanged = false;
  }

  /** Goes on with what was kept. */
  restore({ runs }: KeptLinks): void {
    for (const { calls, runId, sessions } of runs) {
      for (const speaker of sessions) this.heard(runId, speaker);
      for (const [id, speaker] of calls) this.link(runId, id, speaker);
    }
    this.#isChanged = false;
  }

  /** A hook of that session told something. Gives the other session that told last before it, if any. */
  heard(runId: string, { client, session }: Speaker): Speaker | undefined {
    const { sessions } = this.#of(runId);
    const key = `${client} ${session}`;
    this.#isChanged ||= [...sessions.keys()].at(-1) !== key;
    const before = [...sessions.values()].findLast((one) => one.client === client && one.session !== session);
    sessions.delete(key);
    sessions.set(key, { client, session, agent: '', type: '' });
    dropFirst(sessions, MAX_SESSIONS);
    return before;
  }

  /** A hook told of a call whose message passes the gateway as well. */
  link(runId: string, id: string, speaker: Speaker): void {
    const { calls } = this.#of(runId);
    this.#isChanged = true;
    calls.set(id, speaker);
    dropFirst(calls, MAX_CALLS);
  }

  /** The speaker of a message; undefined where no hook tells whose it is. */
  of(runId: string, id: string | undefined): Speaker | undefined {
    const found = this.#runs.get(runId);
    if (found === undefined) return undefined;
    const linked = this.linked(runId, id);
    if (linked !== undefined) return linked;
    return found.sessions.size === 1 ? [...found.sessions.values()][0] : undefined;
  }

  /** The speaker of a message of which a hook told, too; undefined for every other one. */
  linked(runId: string, id: string | undefined): Speaker | undefined {
    return id === undefined ? undefined : this.#runs.get(runId)?.calls.get(id);
  }

  /** The run is over. */
  forget(runId: string): void {
    if (this.#runs.delete(runId)) this.#isChanged = true;
  }

  #of(runId: string): OfRun {
    const known = this.#runs.get(runId);
    if (known !== undefined) return known;
    const made: OfRun = { sessions: new Map(), calls: new Map() };
    this.#runs.set(runId, made);
    dropFirst(this.#runs, MAX_RUNS);
    return made;
  }
}
