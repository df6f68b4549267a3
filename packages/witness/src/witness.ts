import {
  cosignNote,
  readNote,
  type VerifierKey,
  verifierKey,
  verifyNote,
  readGrowth,
  verifyConsistency,
} from '@subluminal/core-types';
import { openLogNote } from '@subluminal/ledger';
import { createHash } from 'node:crypto';
import type { Clock } from '@subluminal/gateway';
import type { WitnessState } from './state.js';

/** An HTTP answer. */
export interface WitnessAnswer {
  readonly status: 200 | 400 | 403 | 404 | 409 | 422;
  readonly type: string;
  readonly body: string;
}

const TEXT = 'text/plain; charset=utf-8';
const EMPTY_ROOT = createHash('sha256').digest('hex');

/**
 * A C2SP witness (tlog-witness): cosigns a checkpoint of a log that it was told of, if it continues the
 * newest one that it cosigned before. `add` is one synchronous step from the check to the disk, so no two
 * requests see the same memory.
 */
export class Witness {
  readonly key: VerifierKey;
  readonly #state: WitnessState;
  readonly #logs: ReadonlyMap<string, VerifierKey>;
  readonly #clock: Clock;

  constructor(name: string, state: WitnessState, logs: readonly VerifierKey[], clock: Clock) {
    this.key = verifierKey(name, 'cosignature', state.publicKey);
    this.#state = state;
    this.#logs = new Map(logs.map((log) => [log.name, log]));
    this.#clock = clock;
  }

  /**
   * Answers an `add-checkpoint` request. Throws where its memory cannot be read or written: then nothing is
   * signed.
   */
  add(body: string): WitnessAnswer {
    const growth = readGrowth(body);
    const note = growth === undefined ? undefined : readNote(growth.note);
    if (growth === undefined || note === undefined)
      return refusal(400, 'this is not an add-checkpoint request');
    const log = this.#logs.get(note.text.slice(0, note.text.indexOf('\n')));
    if (log === undefined) return refusal(404, 'the log is not known here');
    if (typeof verifyNote(note, log) === 'string') return refusal(403, 'no signature of the log verifies');
    const checkpoint = openLogNote(growth.note, log);
    if (typeof checkpoint === 'string') return refusal(400, 'this is not a checkpoint');
    if (growth.from > checkpoint.size) return refusal(400, 'the old size is beyond the checkpoint');
    const latest = this.#state.latest(log) ?? { size: 0, root: EMPTY_ROOT };
    if (growth.from !== latest.size) return conflict(latest.size);
    if (checkpoint.size === latest.size && checkpoint.root !== latest.root) {
      this.#state.keepEvidence('fork', growth.note);
      return conflict(latest.size);
    }
    const { size: to, root: newRoot } = checkpoint;
    if (!verifyConsistency({ from: growth.from, to, oldRoot: latest.root, newRoot, proof: growth.proof })) {
      this.#state.keepEvidence('refused', growth.note);
      return refusal(422, 'the proof does not verify');
    }
    if (to > latest.size) this.#state.remember(log, growth.note);
    const timeS = Math.floor(this.#clock() / 1000);
    return { status: 200, type: TEXT, body: cosignNote(note.text, timeS, this.key, this.#state.privateKey) };
  }
}

function refusal(status: 400 | 403 | 404 | 422, why: string): WitnessAnswer {
  return { status, type: TEXT, body: `${why}\n` };
}

function conflict(size: number): WitnessAnswer {
  return { status: 409, type: 'text/x.tlog.size', body: `${size}\n` };
}
