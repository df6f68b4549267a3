import { errorOf, type JsonValue, type SublError } from '@subluminal/core-types';
import type { GatewaySession } from '@subluminal/agent';
import { processIdentity } from '@subluminal/ipc';
import type { ShimOptions } from '../options.js';
import type { Ask } from '../secrets/ask-for-secrets.js';
import { startUpstream, type Upstream, type UpstreamOptions } from '../supervise/upstream.js';

/** The server that a world is for, and how the gateway is asked for it. */
export interface WorldServer extends Pick<ShimOptions, 'paths' | 'serverName'> {
  readonly ask: Ask;
  readonly session: Pick<GatewaySession, 'isConnected' | 'unwatch' | 'watch'>;
  readonly shimId: string;
  readonly log: (line: string) => void;
}

/**
 * Starts the server in a world. No proxy is named to it: every connection there is the gateway's. `over` is
 * called when it has ended. Errors: those of `worldView`, `openWorld` and
 * `startUpstream`.
 */
export async function startInWorld(
  { read, write }: NonNullable<ShimOptions['world']>,
  started: UpstreamOptions,
  { ask, log, serverName, session, shimId, paths }: WorldServer,
): Promise<{ readonly upstream: Upstream; readonly over: () => Promise<void> }> {
  // Loaded late: most servers live in none.
  const { hearWorld, openWorld, serveAgain, worldView } = await import('@subluminal/worlds');
  const data = async (action: string, payload: Readonly<Record<string, unknown>>): Promise<JsonValue> => {
    const answer = await ask(action, payload);
    if (answer.status !== 'success') throw errorOf(answer);
    return answer.data ?? null;
  };
  const { id, launch, network, testimony } = await openWorld(data, {
    starter: processIdentity(process.pid),
    server: { server_name: serverName, shim_id: shimId },
    command: started.command,
    env: withoutProxy(started.env),
    envOutside: started.env,
    // A server's files are looked at by whoever calls it, and at once.
    view: worldView({ cwd: process.cwd(), read, write, writesThrough: true, gatewayHome: paths.home }),
    layer: undefined,
    door: undefined,
    agent: undefined,
    sandboxOff: undefined,
    // The shim tells the group, of which the server is one.
    signals: [],
    now: Date.now(),
  });
  // Its network goes with the run, too: a gateway that is away keeps nobody.
  let served: ReturnType<typeof serveAgain> | undefined;
  let hasEnded = false;
  const over = async (): Promise<void> => {
    hasEnded = true;
    if (served !== undefined) session.unwatch(served);
    const { told } = await testimony.over();
    await ask('world.close', { world_id: id, ...told }).then(nothing, nothing);
  };
  try {
    const { command, args, ...rest } = launch;
    const upstream = await startUpstream({
      ...started,
      ...rest,
      command: [command, ...args],
      cwd: undefined,
      onLine: (line, world) => {
        void hearWorld(line, testimony, world);
        if (network !== 'full') return;
        const { isConnected } = session;
        const lost = (why: SublError): void =>
          log(`server \`${serverName}\` has no network any more: ${why.message}`);
        served = serveAgain({
          id,
          inside: processIdentity(world),
          ask: data,
          isConnected,
          isOver: () => hasEnded,
          lost,
        });
        session.watch(served);
      },
    });
    return { upstream, over };
  } catch (error) {
    await over();
    throw error;
  }
}

const nothing = (): void => undefined;

const PROXY = /^(?:https?|all|no)_proxy$/i;

function withoutProxy(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && !PROXY.test(entry[0]),
    ),
  );
}
