/** Tells how tools are treated that are not as they were approved. */
export type PinMode = 'hold' | 'flag' | 'off';

/** `[tools]` in `config.toml`: one way for all servers, and those whose tools are only flagged. */
export class PinModes {
  readonly #read: () => { readonly pin: PinMode; readonly flag: readonly string[] };

  constructor(read: () => { readonly pin: PinMode; readonly flag: readonly string[] }) {
    this.#read = read;
  }

  get pin(): PinMode {
    return this.#read().pin;
  }

  of(server: string): PinMode {
    const { pin, flag } = this.#read();
    return pin === 'hold' && flag.includes(server) ? 'flag' : pin;
  }
}
