import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join, parse } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import {
  canonicalize,
  type Credential,
  isSublError,
  type ProcessIdentity,
  proxyRunToken,
  sha256Hex,
  SublError,
} from '@subluminal/core-types';
import {
  ancestors,
  assertHome,
  createRequestIds,
  type GatewayClient,
  type HomePaths,
  processIdentity,
  processName,
  type ProxyTold,
  proxyVariables,
  upstreamToken,
} from '@subluminal/ipc';
import { CoreClient, GatewaySession, joinRun, runLabels } from '@subluminal/agent';
import { DEFAULT_LIMITS, hidingCore, ServerSecrets, type SessionLimits } from '@subluminal/mcp';
import { StdioSession } from './adapter/stdio-session.js';
import { turnAway } from './adapter/turned-away.js';
import { AwayGuard } from './away/guard.js';
import { connectOrStart } from './enrol/connect-or-start.js';
import { startGateway } from './enrol/start-gateway.js';
import { boundEnvironment, heldBackText, upstreamEnvironment } from './settings/upstream-environment.js';
import { readKeychain } from './keychain/keychain.js';
import { type Ask, askForSecrets, tellOfSecrets } from './secrets/ask-for-secrets.js';
import { maskedStream } from './secrets/masked-stream.js';
import { trustVariables } from './settings/trust-variables.js';
import { Endings } from './supervise/endings.js';
import { atMost, type EndCause, endUpstream, exitCodeOf } from './supervise/shutdown.js';
import { type Exit, startUpstream, type Upstream } from './supervise/upstream.js';

/**
 * So long after the end began, the last answers still reach a client that listens: it must not get half of
 * one.
 */
const LAST_ANSWERS_MS = 5000;
/** A server that fails within this time may have missed a variable. */
const EARLY_MS = 15_000;
/** They get so long in any case, and then the last reports to the gateway. */
const FLUSH_MS = 300;

export interface ShimOptions {
  /**
   * The paths of `--home`, or of `defaultHome()`; never of an environment variable (ARCHITECTURE.md, "Keys,
   * credentials, runs").
   */
  readonly paths: HomePaths;
  /** The server's name, as the client's config calls it. */
  readonly serverName: string;
  /** The MCP server: program and arguments. */
  readonly command: readonly [string, ...string[]];
  /** Absolute path of the gateway's program, to start one when none runs; undefined: do not start one. */
  readonly gatewayEntry: string | undefined;
  /** Read for labels; the server gets the safe part of it. */
  readonly env: NodeJS.ProcessEnv;
  /** Names of further variables that the server gets; `*`: all. */
  readonly pass?: readonly string[];
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** One line for the operator, without its line feed. */
  readonly log: (line: string) => void;
  readonly limits?: Partial<SessionLimits>;
}

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
  const shim = processIdentity(process.pid);
  if (shim === undefined) throw new SublError('failed', 'the system does not know this process');
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
  away.connectWith({
    deliver: (callId, end) => core.end(callId, end),
    retry: () => session.retry(),
  });
  try {
    const proxyToken = proxyRunToken(credential, serverName);
    return await superviseServer(options, { core, session, shim, shimId, token, proxyToken, secrets });
  } finally {
    away.close();
    session.close();
  }
}

/** The parts with which the server of a shim is run. */
interface Serving {
  readonly core: CoreClient;
  readonly session: GatewaySession;
  readonly shim: ProcessIdentity;
  readonly shimId: string;
  /** Names the server to the gateway. */
  readonly token: string;
  /** By which the gateway's proxy knows the run. */
  readonly proxyToken: string;
  readonly secrets: ServerSecrets;
}

async function superviseServer(options: ShimOptions, serving: Serving): Promise<number> {
  const { core, token, shim, secrets } = serving;
  const argvHash = sha256Hex(canonicalize([...options.command]));
  const { proxy, maxInspectBytes = DEFAULT_LIMITS.maxInspectBytes } = await core.upstreamBegin({
    token,
    argvHash,
    shim,
    cwd: process.cwd(),
  });
  let exit: Exit | undefined;
  try {
    const { upstream, heldBack } = await startServer(options, { ...serving, proxy }, argvHash);
    const started = performance.now();
    const outcome = await serve(options, { ...serving, maxInspectBytes }, upstream);
    exit = outcome.exit;
    const failed = outcome.cause.kind === 'server ended' && exit?.code !== 0;
    const missed = failed && performance.now() - started < EARLY_MS ? heldBackText(heldBack) : undefined;
    if (missed !== undefined) options.log(missed);
    return exitCodeOf(outcome.cause, exit);
  } finally {
    secrets.serverGone();
    core.upstreamEnd(token, exit ?? { code: null, signal: null });
    await core.flush(FLUSH_MS);
  }
}

/**
 * Starts the server with what the gateway releases for it, or, where it has no secrets, with the safe part of
 * our environment.
 */
async function startServer(
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

/** Passes messages until there is a reason to end, then ends the server. */
async function serve(
  options: ShimOptions,
  { core, secrets, session, maxInspectBytes }: Serving & { readonly maxInspectBytes: number },
  upstream: Upstream,
): Promise<{ cause: EndCause; exit: Exit | undefined }> {
  const { stdin, stdout } = options;
  const endings = new Endings(upstream);
  const messages = maskedStream(upstream.stdout, secrets.messageMasks());
  const stdio = new StdioSession({
    core: secrets.all.length === 0 ? core : hidingCore(core, secrets),
    serverName: options.serverName,
    client: { input: stdin, output: stdout },
    server: { input: messages, output: upstream.stdin },
    spoolFolder: options.paths.runDir,
    limits: { ...DEFAULT_LIMITS, maxInspectBytes, ...options.limits },
    monotonic: () => performance.now(),
    onRunOver: () => endings.end({ kind: 'run over' }),
  });
  void session.over.then(() => endings.end({ kind: 'run over' }));
  stdin.once('end', () => endings.end({ kind: 'client closed' }));
  stdin.once('error', () => endings.end({ kind: 'client gone' }));
  stdout.on('error', () => {
    stdio.sideGone('client');
    endings.end({ kind: 'client gone' });
  });
  // A server that closes its input, or ends, is not written to any more; its end is told by its exit.
  upstream.stdin.on('error', () => stdio.sideGone('server'));
  const read = Promise.all([closed(messages), passErrorsOn(upstream, secrets)]);
  try {
    const cause = await endings.first;
    stdio.handOver('server');
    const started = performance.now();
    const exit = await endUpstream(upstream, cause, () => stdio.delivered('server'));
    const listens = cause.kind !== 'signal' && cause.kind !== 'run over';
    const left = listens ? LAST_ANSWERS_MS - (performance.now() - started) : 0;
    if (cause.kind !== 'client gone')
      await atMost(
        Math.max(left, FLUSH_MS),
        read.then(() => stdio.delivered('client')),
      );
    stdio.endCalls();
    return { cause, exit };
  } finally {
    endings.release();
  }
}

/**
 * The server's standard error goes to ours, without its secrets. Resolves when there is no more.
 */
function passErrorsOn({ stderr }: Upstream, secrets: ServerSecrets): Promise<void> {
  if (stderr === null) return Promise.resolve();
  const errors = maskedStream(stderr, secrets.errorMasks());
  errors.pipe(process.stderr, { end: false });
  return closed(errors);
}

function closed(stream: Readable): Promise<void> {
  return new Promise((resolve) => stream.once('close', resolve));
}
