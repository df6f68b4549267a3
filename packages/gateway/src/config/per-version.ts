import { isSublError, type GatewayConfig, type SublError } from '@subluminal/core-types';
import { fileVersion } from '../base/file-version.js';
import type { ConfigFile } from './form.js';
import { loadConfig, requireConfig } from './load.js';

/** A value read of `config.toml`, once for each state of the file, also where that has a mistake. */
export class PerVersion<T> {
  readonly #file: ConfigFile;
  readonly #read: (config: GatewayConfig) => T;
  readonly #load: typeof loadConfig;
  #last:
    | { readonly version: string; readonly found: T }
    | { readonly version: string; readonly error: SublError }
    | undefined;

  constructor(file: ConfigFile, read: (config: GatewayConfig) => T, load = loadConfig) {
    this.#file = file;
    this.#read = read;
    this.#load = load;
  }

  /** Tells one state of the file from another. Throws `config_invalid` where it cannot be looked at. */
  get version(): string {
    return fileVersion(this.#file.path);
  }

  /** Throws `config_invalid` or `not_available` where the file cannot be read. */
  get now(): T {
    const { version } = this;
    // A change between the two looks has another version at the next one.
    if (this.#last?.version !== version) this.#last = { version, ...this.#readNow() };
    if ('error' in this.#last) throw this.#last.error;
    return this.#last.found;
  }

  #readNow(): { readonly found: T } | { readonly error: SublError } {
    try {
      return { found: this.#read(requireConfig(this.#load(this.#file))) };
    } catch (error) {
      if (!isSublError(error)) throw error;
      return { error };
    }
  }
}
