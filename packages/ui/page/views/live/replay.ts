import { signal } from '@preact/signals';
import type { Row } from '../../../src/protocol/index.js';

/** Longer pauses are cut to this, at any speed. */
const LONGEST_PAUSE_MS = 2000;
const SPEEDS = [1, 4, 16, 64] as const;

/** Plays records again from one of them on, in the time that they took. */
export class Replay {
  /** How many rows are shown; null where it is not playing. */
  readonly shown = signal<number | null>(null);
  readonly speed = signal<number>(4);
  readonly isPaused = signal(false);
  readonly #rows: () => readonly Row[];
  #timer = 0;

  constructor(rows: () => readonly Row[]) {
    this.#rows = rows;
  }

  /** Begins at a row, which is shown. */
  begin(index: number): void {
    clearTimeout(this.#timer);
    this.shown.value = index + 1;
    this.isPaused.value = false;
    this.#next();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.shown.value = null;
  }

  pause(): void {
    this.isPaused.value = !this.isPaused.value;
    clearTimeout(this.#timer);
    if (!this.isPaused.value) this.#next();
  }

  faster(by: 1 | -1): void {
    const at = SPEEDS.findIndex((speed) => speed === this.speed.value);
    this.speed.value = SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, at + by))] ?? 4;
  }

  #next(): void {
    const { value } = this.shown;
    const rows = this.#rows();
    if (value === null) return;
    const [last, coming] = [rows[value - 1], rows[value]];
    if (coming === undefined) return this.stop();
    const pause = Math.min(LONGEST_PAUSE_MS, coming.ts - (last?.ts ?? coming.ts)) / this.speed.value;
    this.#timer = setTimeout(() => {
      this.shown.value = value + 1;
      this.#next();
    }, pause);
    return undefined;
  }
}
