/** What is done with tools that are not what was approved. */
export type PinMode = 'hold' | 'flag' | 'off';

/** `[tools]` in `config.toml`: one way for all servers, and those whose tools are only flagged. */
export class PinModes {
  readonly pin: PinMode;
  readonly #flagged: ReadonlySet<string>;

  constructor(pin: PinMode, flagged: readonly string[] = []) {
    this.pin = pin;
    this.#flagged = new Set(flagged);
  }

  of(server: string): PinMode {
    return this.pin === 'hold' && this.#flagged.has(server) ? 'flag' : this.pin;
  }
}
