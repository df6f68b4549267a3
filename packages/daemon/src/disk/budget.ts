import type { JsonObject } from '@subluminal/core-types';
import {
  type BudgetGate,
  type Clock,
  type Lifecycle,
  type Logger,
  errorText,
  startTicking,
} from '@subluminal/gateway';
import { type LedgerUse, totalUse } from './measure.js';

/** `warn` from 80 % on. `previews`: none are kept. `full`: nothing begins. */
export type BudgetLevel = 'ok' | 'warn' | 'previews' | 'full';

/** What is left of the budget. */
export interface BudgetState {
  readonly level: BudgetLevel;
  readonly use: LedgerUse;
  readonly usedBytes: number;
  readonly maxBytes: number | null;
}

/** The state of the budget as `gateway.status` shows it. */
export function budgetData({ level, usedBytes, maxBytes }: BudgetState): JsonObject {
  return { level, used_bytes: usedBytes, max_bytes: maxBytes };
}

/** The parts of a budget. */
export interface BudgetParts {
  /** null: none is set. */
  readonly maxBytes: () => number | null;
  readonly measure: () => LedgerUse;
  readonly gate: BudgetGate;
  /** Lets the previews of entries before a time expire; resolves when they are gone. */
  readonly expire: (before: number) => Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
}

const LOOK_MS = 2000;
const WARN_SHARE = 0.8;
const DAY_MS = 86_400_000;

/**
 * Keeps the ledger within `ledger.max_mb`. At the limit it gives up previews first: new ones are not kept,
 * those older than a day expire, then all. Only if that is not enough nothing begins any more, and what runs
 * may still end. Looks every few seconds, so that it recovers by itself once there is room again.
 */
export class Budget implements Lifecycle {
  readonly name = 'disk';
  readonly #parts: BudgetParts;
  #state: BudgetState;
  #looking: Promise<void> | undefined;
  #end: (() => void) | undefined;

  constructor(parts: BudgetParts) {
    this.#parts = parts;
    this.#state = this.#judge();
    this.#apply();
  }

  get state(): BudgetState {
    return this.#state;
  }

  start(): void {
    const { log } = this.#parts;
    const failed = (error: unknown): void => log.error('a routine failed', { error: errorText(error) });
    this.#end = startTicking(LOOK_MS, failed, () => void this.look().catch(failed));
    this.look().catch(failed);
  }

  async stop(): Promise<void> {
    this.#end?.();
    await this.#looking?.catch(() => undefined);
  }

  /** One look, and what follows from it. Joins the one that is under way. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #look(): Promise<void> {
    const { clock, expire } = this.#parts;
    if (!this.#isOver()) return this.#apply();
    this.#parts.gate.dropsPreviews = true;
    try {
      // All of them: also those that a clock which ran ahead gave a time that has not come yet.
      for (const before of [clock() - DAY_MS, Number.POSITIVE_INFINITY]) {
        await expire(before);
        if (!this.#isOver()) break;
      }
    } finally {
      // Also where none could be let go: what is over its budget lets nothing begin.
      this.#apply();
    }
  }

  #isOver(): boolean {
    return this.#judge().level === 'full';
  }

  #judge(): BudgetState {
    const { measure, gate } = this.#parts;
    const maxBytes = this.#parts.maxBytes();
    const use = measure();
    const usedBytes = totalUse(use);
    const share = maxBytes === null ? 0 : usedBytes / maxBytes;
    // Previews come back a good way below the limit: else each one that goes would let another in.
    const below =
      gate.dropsPreviews && share >= WARN_SHARE ? 'previews' : share >= WARN_SHARE ? 'warn' : 'ok';
    return { level: share >= 1 ? 'full' : below, use, usedBytes, maxBytes };
  }

  /** Opens or closes the gate as the state says, and tells the log where that changes. */
  #apply(): void {
    const { gate, log } = this.#parts;
    // Only here: who reads `full` may rely on it that nothing begins.
    this.#state = this.#judge();
    const { level, usedBytes, maxBytes } = this.#state;
    const was = this.#told;
    this.#told = level;
    gate.dropsPreviews = level === 'previews' || level === 'full';
    gate.full =
      level === 'full'
        ? {
            message: `the ledger has used up its budget of ${Math.round((maxBytes ?? 0) / MB)} MB, so nothing new begins`,
            help: 'raise `ledger.max_mb` in config.toml, or move files of `segments/`, all but the newest, to another disk',
          }
        : undefined;
    if (level === was) return;
    const facts = { level, used_bytes: usedBytes, max_bytes: maxBytes };
    if (level === 'ok') log.info('the ledger is within its budget', facts);
    else log.warn('the ledger comes to the end of its budget', facts);
  }

  #told: BudgetLevel = 'ok';
}

const MB = 1_048_576;
