import { timingSafeEqual } from 'node:crypto';
import { proxyRunSecret } from '@subluminal/core-types';
import type { KeyRing } from '@subluminal/gateway';
import type { ShownToken } from './basic.js';

/** Servers of a run whose tokens are remembered once they were shown. */
const MAX_KEPT = 256;

/**
 * The values that the tokens of one run, and of its servers, are held against. They are derived from the
 * run's key, and are kept no longer than the run lives.
 */
export class RunTokens {
  readonly runId: string;
  readonly #derive: (serverName: string | undefined) => Uint8Array;
  readonly #kept = new Map<string | undefined, Uint8Array>();

  constructor(runId: string, derive: (serverName: string | undefined) => Uint8Array) {
    this.runId = runId;
    this.#derive = derive;
  }

  /**
   * Whether the token was shown of this run, or of that server of it: nobody else's opens anything in the
   * name of a server.
   */
  isShown({ runId, serverName, secret }: ShownToken): boolean {
    const kept = this.#kept.get(serverName);
    const expected = kept ?? this.#derive(serverName);
    if (runId !== this.runId || !timingSafeEqual(expected, secret)) return false;
    if (kept === undefined && this.#kept.size < MAX_KEPT) this.#kept.set(serverName, expected);
    return true;
  }
}

/** Tells which run, and which server of it, a token stands for. */
export class Tokens {
  readonly #keys: Pick<KeyRing, 'runKey'>;

  constructor(keys: Pick<KeyRing, 'runKey'>) {
    this.#keys = keys;
  }

  /** The tokens of a run that has come in by a door of its own. */
  ofRun(runId: string): RunTokens {
    const key = this.#keys.runKey(runId);
    return new RunTokens(runId, (serverName) => proxyRunSecret(key, serverName));
  }

  /**
   * The run whose token was shown, or a server's of it; undefined for any other text. Whether the run lives
   * is not asked.
   */
  runOf(shown: ShownToken | undefined): RunTokens | undefined {
    // The same work for a run that does not exist.
    const runId = shown?.runId ?? 'none';
    const run = this.ofRun(runId);
    const { serverName, secret: theirs } = shown ?? { serverName: undefined, secret: new Uint8Array(32) };
    const isShown = run.isShown({ runId, serverName, secret: theirs });
    return shown !== undefined && isShown ? run : undefined;
  }
}
