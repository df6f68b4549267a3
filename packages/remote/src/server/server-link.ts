import { randomBytes } from 'node:crypto';
import type { JsonValue } from '@subluminal/core-types';
import {
  type Away,
  type Core,
  CoreClient,
  type GatewaySession,
  type ListedPage,
  type ListVerdict,
} from '@subluminal/agent';
import { hidingCore } from '@subluminal/mcp';
import type { Line } from '@subluminal/egress';
import type { HeaderSecrets, InnerSession } from '@subluminal/gateway';
import type { Ask } from '../client/ask.js';
import { DeclaredParams } from '../client/declared-params.js';
import type { HttpLimits } from '../limits.js';
import { UpstreamServer } from './upstream.js';
import { UpstreamSecrets } from './upstream-secrets.js';

/** Without the gateway there is nobody who could decide: this is the gateway. */
const NEVER_AWAY: Away = {
  patience: undefined,
  decide: () => Promise.resolve(undefined),
  end: () => false,
};

export interface ServerLinkParts {
  readonly session: GatewaySession;
  readonly inner: Pick<InnerSession, 'request'>;
  readonly runId: string;
  readonly nextId: () => string;
  readonly line: Line;
  readonly secrets: HeaderSecrets;
  readonly generation: () => number;
  readonly limits: HttpLimits;
  readonly monotonic: () => number;
  readonly log: (line: string) => void;
}

/** One server of one run: who decides its calls, and how it is reached. */
export class ServerLink {
  readonly serverName: string;
  readonly core: Core;
  readonly server: UpstreamServer;
  readonly declared = new DeclaredParams();
  readonly #client: CoreClient;
  readonly #secrets: UpstreamSecrets;

  constructor(parts: ServerLinkParts, { serverName, upstream, upstreamUrl }: Ask) {
    const { session, runId, nextId, log } = parts;
    const shimId = randomBytes(9).toString('base64url');
    this.serverName = serverName;
    const { origin } = upstream.destination;
    // As a shim names a command: what stands behind the question mark may be a secret, and says not which
    // server it is.
    const command = ['mcp_http', `${origin}${upstream.target.split('?', 1)[0]}`];
    this.#client = new CoreClient({
      session,
      runId,
      shimId,
      serverName,
      command,
      nextId,
      away: NEVER_AWAY,
      log,
    });
    this.#secrets = new UpstreamSecrets(parts.secrets, { runId, serverName, upstream });
    this.core = new LearningCore(hidingCore(this.#client, this.#secrets), this.declared);
    const secrets = this.#secrets;
    this.server = new UpstreamServer({ ...parts, shimId, serverName, upstream, upstreamUrl, secrets });
  }

  /** Nothing that is recorded from here on holds a secret that its requests would. */
  keepOutOfRecord(): void {
    this.#secrets.keepOutOfRecord();
  }

  /** Nothing more is asked of it: connections that wait are ended. */
  leave(): void {
    this.server.leave();
  }

  /** Waits until what was reported has arrived, at most so long. */
  flush(timeoutMs: number): Promise<void> {
    return this.#client.flush(timeoutMs);
  }
}

/** Remembers what lists of tools declare of the headers of calls. */
class LearningCore implements Core {
  readonly #core: Core;
  readonly #declared: DeclaredParams;
  readonly values: Core['values'];

  constructor(core: Core, declared: DeclaredParams) {
    this.#core = core;
    this.values = core.values;
    this.#declared = declared;
  }

  async listed(page: ListedPage): Promise<ListVerdict> {
    const verdict = await this.#core.listed(page);
    if (!('refused' in verdict)) {
      const seen: readonly JsonValue[] = page.tools.filter((_, at) => !verdict.leaveOut.has(at));
      this.#declared.learn(seen);
    }
    return verdict;
  }

  decide(call: Parameters<Core['decide']>[0]): ReturnType<Core['decide']> {
    return this.#core.decide(call);
  }

  end(...args: Parameters<Core['end']>): void {
    this.#core.end(...args);
  }

  dropped(message: Parameters<Core['dropped']>[0]): void {
    this.#core.dropped(message);
  }
}
