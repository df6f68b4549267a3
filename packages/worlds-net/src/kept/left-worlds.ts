import { SublError } from '@subluminal/core-types';
import { MAX_GATEWAYS } from '../dns/names.js';
import type { KeptWorld } from './kept-world.js';

/** So often a world is tried to be opened again: each try is a process. */
const MAX_ATTEMPTS = 16;

/** The worlds of the gateway before this one, until each is opened again or given up. */
export class LeftWorlds<Opened> {
  readonly #left: Map<string, KeptWorld>;
  /** Those that are being opened: they are had once, by however many they are asked for. */
  readonly #opening = new Map<string, Promise<Opened>>();
  readonly #attempts = new Map<string, number>();

  constructor(left: readonly KeptWorld[]) {
    this.#left = new Map(left.map((kept) => [kept.owner.id, kept]));
  }

  get all(): readonly KeptWorld[] {
    return [...this.#left.values()];
  }

  find(id: string): KeptWorld | undefined {
    return this.#left.get(id);
  }

  /** One that was opened, and whose beginning could not be recorded, waits again. */
  giveBack(kept: KeptWorld): void {
    this.#left.set(kept.owner.id, kept);
  }

  /** Whether it was there. */
  remove(id: string): boolean {
    this.#attempts.delete(id);
    return this.#left.delete(id);
  }

  /**
   * Opens one of that run: `open` gets it as its next gateway has it, and has to remove it. Throws
   * `not_found` if the run has none of that name, `not_available` if it had all the gateways or tries that it
   * may have, and as `open`.
   */
  async open(id: string, runId: string, open: (next: KeptWorld) => Promise<Opened>): Promise<Opened> {
    const kept = this.#left.get(id);
    if (kept?.owner.runId !== runId)
      throw new SublError('not_found', 'no gateway has left such a world of this run');
    const known = this.#opening.get(id);
    if (known !== undefined) return known;
    this.#count(kept);
    const opening = open({ ...kept, gateway: kept.gateway + 1 }).finally(() => this.#opening.delete(id));
    this.#opening.set(id, opening);
    return opening;
  }

  #count({ gateway, owner }: KeptWorld): void {
    if (gateway + 1 >= MAX_GATEWAYS)
      throw new SublError('not_available', `a world can have ${MAX_GATEWAYS} gateways, and it had as many`);
    const attempts = (this.#attempts.get(owner.id) ?? 0) + 1;
    this.#attempts.set(owner.id, attempts);
    if (attempts > MAX_ATTEMPTS)
      throw new SublError('not_available', `the world was asked for ${MAX_ATTEMPTS} times`);
  }
}
