import { isSublError, PLANE_ENTRIES } from '@subluminal/core-types';
import type { Clock, Recorder } from '@subluminal/gateway';
import type { EntryInput } from '@subluminal/ledger';
import type { PlaneEntry } from '@subluminal/plane';
import type { Speaker } from './follow/speaker.js';

/** Nobody waits for these entries: they go with what is written meanwhile. */
const MAY_WAIT_MS = 200;

/** Writes what was decided, in the form that each entry has in `core-types`. */
export class PlaneRecord {
  readonly #recorder: Pick<Recorder, 'append'>;
  readonly #clock: Clock;
  /** Groups that could not be recorded. */
  lost = 0;
  #writing = 0;

  constructor(recorder: Pick<Recorder, 'append'>, clock: Clock) {
    this.#recorder = recorder;
    this.#clock = clock;
  }

  /** Some of them are not durable yet. */
  get isWriting(): boolean {
    return this.#writing > 0;
  }

  /**
   * Entries that follow from one event, in the chain of their run, or in that of the gateway where the run is
   * over. @throws ZodError for an entry of another form.
   */
  write(runId: string, speaker: Omit<Speaker, 'type'>, event: number, entries: readonly PlaneEntry[]): void {
    if (entries.length === 0) return;
    const inputs = entries.map((entry) => this.entryOf(runId, speaker, event, entry));
    this.#writing += 1;
    this.#append(inputs)
      .catch((error: unknown) => {
        if (!isSublError(error)) throw error;
        this.lost += 1;
      })
      .finally(() => (this.#writing -= 1));
  }

  /** One of them, for whoever has it recorded. @throws ZodError for an entry of another form. */
  entryOf(
    runId: string,
    { agent, client, session }: Omit<Speaker, 'type'>,
    event: number,
    entry: PlaneEntry,
  ): EntryInput {
    const { type } = entry;
    const data = PLANE_ENTRIES[type].parse(toldOf(entry, { client, session, agent, event }));
    return { type, ts: this.#clock(), runId, data };
  }

  async #append(entries: readonly EntryInput[]): Promise<void> {
    try {
      await this.#recorder.append({ entries }, MAY_WAIT_MS);
    } catch (error) {
      if (!isSublError(error, 'run_ended')) throw error;
      await this.#recorder.append(
        { entries: entries.map((entry) => ({ ...entry, runId: null })) },
        MAY_WAIT_MS,
      );
    }
  }
}

/** Its members, but for its type and for the call that shows a checkpoint, which `of` names. */
function toldOf(entry: PlaneEntry, of: object): object {
  const told = Object.entries(entry).filter(([name]) => name !== 'type' && name !== 'event');
  return { ...Object.fromEntries(told), of };
}
