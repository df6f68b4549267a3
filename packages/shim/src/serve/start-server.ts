import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { parse } from 'node:path';
import { type ProxyTold, proxyVariables } from '@subluminal/ipc';
import { readKeychain } from '../keychain/keychain.js';
import type { ShimOptions } from '../options.js';
import { type Ask, askForSecrets } from '../secrets/ask-for-secrets.js';
import { trustVariables } from '../settings/trust-variables.js';
import { boundEnvironment, upstreamEnvironment } from '../settings/upstream-environment.js';
import { startUpstream, type Upstream } from '../supervise/upstream.js';
import type { Serving } from './serving.js';

/**
 * Starts the server with what the gateway releases for it, or, if it has no secrets, with the safe part of
 * our environment.
 */
export async function startServer(
  options: ShimOptions,
  { session, shimId, token, secrets, proxy, proxyToken }: Serving & { readonly proxy: ProxyTold | undefined },
  argvHash: string,
): Promise<{ readonly upstream: Upstream; readonly heldBack: readonly string[] }> {
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
  return {
    upstream: await startUpstream({
      command: [program, ...args],
      env: { ...env, ...proxied, ...trustVariables(released.trust) },
      // A server with secrets finds nothing in the client's folder, which may be a repository, by itself.
      cwd: isBound ? folderOf(account) : undefined,
      token,
      readsErrors,
    }),
    heldBack,
  };
}

function folderOf({ homedir }: { readonly homedir: string }): string {
  return existsSync(homedir) ? homedir : parse(homedir).root || '/';
}
