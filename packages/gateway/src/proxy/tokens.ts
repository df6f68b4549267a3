import { timingSafeEqual } from 'node:crypto';
import { type Credential, proxyRunSecret, readProxyToken } from '@subluminal/core-types';
import type { KeyRing } from '../security/keys.js';

/** Tells which run a token stands for. */
export class Tokens {
  readonly #keys: Pick<KeyRing, 'runKey' | 'credential'>;

  constructor(keys: Pick<KeyRing, 'runKey' | 'credential'>) {
    this.#keys = keys;
  }

  /** The key of the run; undefined for any text that is not the token of one of this home. Whether the run lives is not asked. */
  runOf(token: string): Credential | undefined {
    const shown = readProxyToken(token);
    // The same work for a run that does not exist.
    const expected = proxyRunSecret(this.#keys.runKey(shown?.runId ?? 'none'));
    if (shown === undefined || !timingSafeEqual(expected, shown.secret)) return undefined;
    return this.#keys.credential('run', shown.runId);
  }
}
