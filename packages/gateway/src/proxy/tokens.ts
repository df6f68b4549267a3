import { timingSafeEqual } from 'node:crypto';
import { proxyRunSecret } from '@subluminal/core-types';
import type { KeyRing } from '../security/keys.js';
import type { ShownToken } from './basic.js';

/** What the token of one run is held against. It was derived from the run's key, and is kept no longer than the run lives. */
export class RunSecret {
  readonly runId: string;
  readonly #expected: Uint8Array;

  constructor(runId: string, expected: Uint8Array) {
    this.runId = runId;
    this.#expected = expected;
  }

  /** Whether the token of this run was shown. */
  isShown({ runId, secret }: ShownToken): boolean {
    return runId === this.runId && timingSafeEqual(this.#expected, secret);
  }
}

/** Tells which run a token stands for. */
export class Tokens {
  readonly #keys: Pick<KeyRing, 'runKey'>;

  constructor(keys: Pick<KeyRing, 'runKey'>) {
    this.#keys = keys;
  }

  /** The run whose token was shown; undefined for any other text. Whether the run lives is not asked. */
  runOf(shown: ShownToken | undefined): RunSecret | undefined {
    // The same work for a run that does not exist.
    const runId = shown?.runId ?? 'none';
    const secret = new RunSecret(runId, proxyRunSecret(this.#keys.runKey(runId)));
    return shown !== undefined && secret.isShown(shown) ? secret : undefined;
  }
}
