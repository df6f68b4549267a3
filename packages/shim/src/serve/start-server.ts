import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { parse } from 'node:path';
import { type ProxyTold, proxyVariables, UPSTREAM_TOKEN_VARIABLE } from '@subluminal/ipc';
import { readKeychain } from '../keychain/keychain.js';
import type { ShimOptions } from '../options.js';
import { type Ask, askForSecrets } from '../secrets/ask-for-secrets.js';
import { trustVariables } from '../settings/trust-variables.js';
import { boundEnvironment, upstreamEnvironment } from '../settings/upstream-environment.js';
import { startUpstream, type Upstream } from '../supervise/upstream.js';
import { startInWorld } from './start-in-world.js';
import type { Serving } from './serving.js';

/** A server that runs. */
export interface StartedServer {
  readonly upstream: Upstream;
  /** The variables that it was not given. */
  readonly heldBack: readonly string[];
  /** Called when it has ended. */
  readonly over: () => Promise<void>;
}

/**
 * Starts the server with what the gateway releases for it, or, if it has no secrets, with the safe part of
 * our environment.
 */
export async function startServer(
  options: ShimOptions,
  { session, shimId, token, secrets, proxy, proxyToken }: Serving & { readonly proxy: ProxyTold | undefined },
  argvHash: string,
): Promise<StartedServer> {
  const { command, env: client, pass = [], serverName } = options;
  const ask: Ask = (action, payload) => session.request(action, payload, true);
  const starting = { shimId, token, serverName, argvHash, pass };
  const released = await askForSecrets(ask, starting, { env: client, keychain: readKeychain });
  secrets.take(released.held);
  // A gateway that comes later must know them before anything of the run is recorded, though nothing is
  // asked.
  if (released.held.length > 0) session.watch({ connected: () => undefined, over: () => undefined });
  const [name, ...args] = command;
  const { program = name, held } = released;
  const account = userInfo();
  const isBound = released.program !== undefined;
  const { env, heldBack } = !isBound
    ? upstreamEnvironment({ client, pass, platform: process.platform })
    : boundEnvironment({
        client,
        pass: released.pass,
        program,
        account,
        secrets: Object.fromEntries(held.map((one) => [one.name, one.value])),
        platform: process.platform,
      });
  const { env: proxied, note } = proxyVariables({
    told: proxy,
    label: serverName,
    token: proxyToken,
    env,
    isNeeded: released.trust !== undefined,
  });
  if (note !== undefined) options.log(note);
  const readsErrors = held.some(({ redact }) => redact);
  const started = {
    command: [program, ...args] as const,
    env: { ...env, ...proxied, ...trustVariables(released.trust), [UPSTREAM_TOKEN_VARIABLE]: token },
    // A server with secrets finds nothing in the client's folder, which may be a repository, by itself.
    cwd: isBound ? folderOf(account) : undefined,
    token,
    readsErrors,
  };
  const { world, paths } = options;
  if (world === undefined)
    return { upstream: await startUpstream(started), heldBack, over: () => Promise.resolve() };
  return {
    ...(await startInWorld(world, started, { ask, log: options.log, serverName, session, shimId, paths })),
    heldBack,
  };
}

function folderOf({ homedir }: { readonly homedir: string }): string {
  return existsSync(homedir) ? homedir : parse(homedir).root || '/';
}
