import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type Credential, isSublError, proxyRunToken } from '@subluminal/core-types';
import {
  ancestors,
  assertHome,
  createRequestIds,
  type GatewayClient,
  ownIdentity,
  processIdentity,
  processName,
  upstreamToken,
} from '@subluminal/ipc';
import { CoreClient, GatewaySession, joinRun, runLabels } from '@subluminal/agent';
import { ServerSecrets } from '@subluminal/mcp';
import { turnAway } from './adapter/turned-away.js';
import { AwayGuard } from './away/guard.js';
import { connectOrStart } from './enrol/connect-or-start.js';
import { startGateway } from './enrol/start-gateway.js';
import type { ShimOptions } from './options.js';
import { type Ask, tellOfSecrets } from './secrets/ask-for-secrets.js';
import { serve } from './serve/serve.js';
import { LAST_ANSWERS_MS } from './serve/times.js';

/**
 * Puts one MCP server behind the gateway: joins the run, starts the server, and passes messages until one
 * side ends; then nothing of the server is left running. Resolves with the exit code, within 6 seconds of the
 * end; the caller exits with it. Throws before the server is started: `home_missing`, `home_unsafe`,
 * `gateway_unreachable`, `key_missing`, `handshake_refused`, `version_mismatch` (which the client is answered
 * as well), the gateway's refusals of the run, `secret_refused`, `secret_missing` (which it is answered as
 * well), `upstream_failed`.
 */
export async function runShim(options: ShimOptions): Promise<number> {
  const { stdin, stdout } = options;
  try {
    return await joinAndServe(options);
  } catch (error) {
    // No server was started, and who waits for it cannot see our stderr.
    if (isSublError(error, 'version_mismatch', 'secret_missing', 'secret_refused'))
      await turnAway({ stdin, stdout, timeoutMs: LAST_ANSWERS_MS }, error);
    // A client that keeps its end of our input open must not keep this process, which answers nothing more.
    stdin.destroy();
    throw error;
  }
}

async function joinAndServe(options: ShimOptions): Promise<number> {
  const { paths, gatewayEntry, log, serverName } = options;
  assertHome(paths);
  const nextId = createRequestIds();
  const connect = (credential: Credential): Promise<GatewayClient> =>
    connectOrStart({ paths, gatewayEntry, credential, nextId });
  const ensureGateway = async (): Promise<void> => {
    if (gatewayEntry !== undefined) await startGateway({ paths, entry: gatewayEntry });
  };
  const labels = runLabels(options.env, processName(process.ppid), process.cwd());
  const ticket = await joinRun({
    paths,
    labels,
    joins: processIdentity(process.pid),
    lineage: ancestors(),
    connect,
    ensureGateway,
    log,
  });
  const shimId = randomBytes(9).toString('base64url');
  const { credential, run_id: runId } = ticket;
  const shim = ownIdentity();
  const monotonic = (): number => performance.now();
  const secrets = new ServerSecrets();
  const token = upstreamToken(runId, randomBytes(24));
  const away = new AwayGuard({
    folder: join(paths.awayDir, runId),
    panicMark: paths.panicMark,
    runId,
    shimId,
    serverName,
    credential,
    owner: shim,
    clock: Date.now,
    monotonic,
    log,
    holdsSecret: secrets.holds,
  });
  const session = new GatewaySession({
    connect: (mayStart) =>
      connectOrStart({
        paths,
        gatewayEntry: mayStart ? gatewayEntry : undefined,
        credential,
        nextId,
        onPush: (event) => {
          core.onPush(event);
          away.onPush(event);
        },
      }),
    introduce: async (client) => {
      const ask: Ask = (action, payload) => client.request(action, payload);
      await tellOfSecrets(ask, { shimId, token }, secrets);
      await away.introduce(ask);
    },
    monotonic,
  });
  const { command } = options;
  const core = new CoreClient({ session, runId, shimId, serverName, command, nextId, away, log });
  away.connectWith(session, (callId, end) => core.end(callId, end));
  try {
    const proxyToken = proxyRunToken(credential, serverName);
    return await serve(options, { core, session, shim, shimId, token, proxyToken, secrets });
  } finally {
    away.close();
    session.close();
  }
}
