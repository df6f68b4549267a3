import { spawn } from 'node:child_process';
import { closeSync, fstatSync, readSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { isSublError, type ProcessIdentity, SublError } from '@subluminal/core-types';
import {
  assertHome,
  assertPrivateFile,
  assertPrivateFolder,
  assertSocketPath,
  gatewayListens,
  type HomePaths,
  isMissing,
  openToAppend,
  ownIdentity,
} from '@subluminal/ipc';
import { takeLock } from '@subluminal/agent';

/**
 * Of a gateway's process, which would otherwise grow as long as the machine has room: half of node's young
 * generation, a full collection before what lives has grown by half, and no helpers for the small ones, which
 * pay for that (docs/decisions/15-the-cost-of-a-call.md).
 */
export const GATEWAY_NODE_OPTIONS: readonly string[] = [
  '--max-semi-space-size=8',
  '--heap-growing-percent=50',
  '--no-parallel-scavenge',
];

const DEFAULT_TIMEOUT_MS = 10_000;
const POLL_MS = 20;
/** A gateway that ended may have found that another one is just starting; that one gets so long to appear. */
const OTHER_STARTER_MS = 1500;
const MAX_LOG_TAIL = 4096;

export interface StartGatewayOptions {
  readonly paths: HomePaths;
  /** The gateway's program: an absolute path that the command line knows, never one from the environment. */
  readonly entry: string;
  /** How long to wait for the gateway to listen; default 10,000. */
  readonly timeoutMs?: number;
}

/**
 * Makes sure that a gateway listens for this home: starts one as `node ENTRY --home HOME` when none does, and
 * waits until it accepts connections. Safe for many callers at once: one of them starts, all of them wait.
 * Throws `home_missing`, `home_unsafe`, `path_too_long`, or `gateway_unreachable` with what the gateway said
 * when it could not start.
 *
 * This is a door (ARCHITECTURE.md, "Keys, credentials, runs"): the caller's environment may be an attacker's,
 * so nothing of it gets through. The gateway runs the same node by its absolute path, in `/`, in a session of
 * its own, with a fixed environment; it stays until it is told to stop.
 */
export async function startGateway(options: StartGatewayOptions): Promise<'started' | 'running'> {
  const { paths } = options;
  assertHome(paths);
  assertSocketPath(paths.socket);
  if (await gatewayListens(paths.socket)) return 'running';
  return await withStartLock(paths, () => startUnderLock(options), options.timeoutMs);
}

/**
 * Does work while nobody else starts a gateway for this home. Throws `home_missing`, `home_unsafe`, and
 * `gateway_unreachable` where another process is at it and does not finish.
 */
export async function withStartLock<T>(
  paths: HomePaths,
  work: () => Promise<T>,
  timeoutMs = DEFAULT_TIMEOUT_MS,
): Promise<T> {
  assertHome(paths);
  const me = ownIdentity();
  // Before anything is written below it: what somebody else has put there may lead elsewhere.
  assertPrivateFolder(paths.runDir);
  const release = await lockStart(paths, me, timeoutMs);
  try {
    return await work();
  } finally {
    release?.();
  }
}

/** As `startGateway`, for whoever holds the lock. */
export async function startUnderLock(options: StartGatewayOptions): Promise<'started' | 'running'> {
  const { paths } = options;
  assertSocketPath(paths.socket);
  if (await gatewayListens(paths.socket)) return 'running';
  assertPrivateFolder(paths.logsDir);
  assertPrivateFile(paths.gatewayLog);
  await launch(options, options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
  return 'started';
}

async function lockStart(
  paths: HomePaths,
  me: ProcessIdentity,
  timeoutMs: number,
): Promise<(() => void) | undefined> {
  try {
    return await takeLock({ path: join(paths.runDir, 'start.lock'), me, timeoutMs });
  } catch (error) {
    if (isMissing(error))
      throw new SublError('home_missing', `the home \`${paths.home}\` was removed meanwhile`, {
        cause: error,
      });
    if (!isSublError(error, 'timed_out')) throw error;
    throw new SublError(
      'gateway_unreachable',
      'another process is starting the gateway and does not finish',
      {
        cause: error,
      },
    );
  }
}

async function launch(options: StartGatewayOptions, timeoutMs: number): Promise<void> {
  const { paths, entry } = options;
  const log = openToAppend(paths.gatewayLog);
  try {
    const before = fstatSync(log).size;
    const child = spawn(process.execPath, [...GATEWAY_NODE_OPTIONS, entry, '--home', paths.home], {
      cwd: '/',
      detached: true,
      env: doorEnvironment(),
      stdio: ['ignore', log, log],
    });
    const state: { ended: string | undefined } = { ended: undefined };
    child.once('error', (error) => (state.ended = error.message));
    child.once('exit', (code, signal) => (state.ended = `it ended with ${signal ?? code}`));
    child.unref();
    await waitForSocket(paths, timeoutMs, () => state.ended !== undefined);
    if (await gatewayListens(paths.socket)) return;
    throw notStarted(paths, state.ended, tail(log, before));
  } finally {
    closeSync(log);
  }
}

async function waitForSocket(paths: HomePaths, timeoutMs: number, ended: () => boolean): Promise<void> {
  let deadline = performance.now() + timeoutMs;
  let shortened = false;
  while (performance.now() < deadline) {
    if (await gatewayListens(paths.socket)) return;
    if (ended() && !shortened) {
      shortened = true;
      deadline = Math.min(deadline, performance.now() + OTHER_STARTER_MS);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Nothing of our own environment: `NODE_OPTIONS`, proxies, loader and TLS variables would all be obeyed. */
function doorEnvironment(): NodeJS.ProcessEnv {
  if (process.platform === 'win32') {
    return { PATH: 'C:\\Windows\\System32', SystemRoot: 'C:\\Windows', USERPROFILE: userInfo().homedir };
  }
  return {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: userInfo().homedir,
    LANG: 'C.UTF-8',
    // Half of the threads look up names. With as few as Node has by itself, two silent ones would keep
    // everybody waiting.
    UV_THREADPOOL_SIZE: '16',
    // glibc: threads that have ended their work keep less of what they gave back.
    MALLOC_ARENA_MAX: '2',
  };
}

/** The text of the log since `from`. */
function tail(log: number, from: number): string {
  const size = fstatSync(log).size;
  const start = Math.max(from, size - MAX_LOG_TAIL);
  const bytes = Buffer.alloc(size - start);
  return bytes.toString('utf8', 0, readSync(log, bytes, 0, bytes.length, start)).trim();
}

function notStarted(paths: HomePaths, ended: string | undefined, said: string): SublError {
  const why = ended ?? 'it does not accept connections';
  const lines = said === '' ? '' : `: ${said.split('\n').slice(-5).join('; ')}`;
  return new SublError('gateway_unreachable', `the gateway did not start (${why})${lines}`, {
    help: `look at \`${paths.gatewayLog}\`, or run \`sub doctor\``,
    details: { absent: true, said },
  });
}
