import { randomBytes } from 'node:crypto';
import { SublError } from '@subluminal/core-types';
import { type Away, CoreClient, GatewaySession } from '@subluminal/agent';
import { type InnerAsker, innerClient, type InnerSession } from '@subluminal/gateway';
import { type Dialect, hookGateway, HookSession } from '@subluminal/hooks';
import { createRequestIds, type GatewayClient } from '@subluminal/ipc';

/** The last reports of a run that ends here get so long. */
const FLUSH_MS = 300;

/** Opens a session in which the gateway asks as that caller; undefined where its run does not live. */
export type OpenSession = (asker: InnerAsker, onEnd: () => void) => InnerSession | undefined;

export interface RunHooksParts {
  readonly runId: string;
  readonly dialect: Dialect;
  readonly openSession: OpenSession;
  readonly ledgerId: string;
  readonly maxInspectBytes: () => number;
  readonly tellsTerminal: () => boolean;
  readonly monotonic: () => number;
  readonly log: (line: string) => void;
  readonly onEnd: () => void;
}

/** Without the gateway there is nobody who could decide: this is the gateway. */
const NEVER_AWAY: Away = {
  patience: undefined,
  decide: () => Promise.resolve(undefined),
  end: () => false,
};

/** The hooks of one client in one run, and the session of the gateway in which they are asked for. */
export class RunHooks {
  readonly hooks: HookSession;
  readonly #parts: RunHooksParts;
  readonly #session: GatewaySession;
  readonly #core: CoreClient;
  #ended = false;

  constructor(parts: RunHooksParts) {
    this.#parts = parts;
    const { dialect, log, maxInspectBytes, monotonic, runId, tellsTerminal } = parts;
    this.#session = new GatewaySession({
      connect: () => Promise.resolve(this.#client()),
      introduce: () => Promise.resolve(),
      monotonic,
    });
    void this.#session.over.then(() => this.end());
    this.#core = new CoreClient({
      session: this.#session,
      runId,
      shimId: randomBytes(9).toString('base64url'),
      serverName: dialect.via,
      command: [dialect.via],
      nextId: createRequestIds(),
      away: NEVER_AWAY,
      log,
    });
    this.hooks = new HookSession({
      dialect,
      gateway: hookGateway(this.#session, this.#core),
      whenAway: () => 'block',
      tellsTerminal,
      maxInspectBytes,
      monotonic,
      log,
    });
  }

  /** The run is over, or the gateway stops: resolves when what was to be reported is. */
  async end(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    this.hooks.over();
    await this.#core.flush(FLUSH_MS);
    this.#session.close();
    this.#parts.onEnd();
  }

  #client(): GatewayClient {
    let ended: (reason: SublError) => void = () => undefined;
    const closed = new Promise<SublError>((resolve) => {
      ended = resolve;
    });
    const over = (): void => ended(new SublError('handshake_refused', 'the run has ended'));
    const session = this.#parts.openSession({ kind: 'run', runId: this.#parts.runId }, over);
    if (session === undefined) throw new SublError('handshake_refused', 'the run has ended');
    return innerClient(session, { ledgerId: this.#parts.ledgerId, closed });
  }
}
