import { canonicalize, sha256Hex } from '@subluminal/core-types';
import { DEFAULT_LIMITS } from '@subluminal/mcp';
import type { ShimOptions } from '../options.js';
import { heldBackText } from '../settings/upstream-environment.js';
import { atMost, exitCodeOf } from '../supervise/shutdown.js';
import type { Exit } from '../supervise/upstream.js';
import { passMessages } from './pass-messages.js';
import { startServer } from './start-server.js';
import type { Serving } from './serving.js';
import { FLUSH_MS } from './times.js';

/** A server that fails within this time may have missed a variable. */
const EARLY_MS = 15_000;

/** Starts the server and passes its messages until there is a reason to end. Gives the exit code. */
export async function serve(options: ShimOptions, serving: Serving): Promise<number> {
  const { core, token, shim, secrets } = serving;
  const argvHash = sha256Hex(canonicalize([...options.command]));
  const { proxy, maxInspectBytes = DEFAULT_LIMITS.maxInspectBytes } = await core.upstreamBegin({
    token,
    argvHash,
    shim,
    cwd: process.cwd(),
  });
  let exit: Exit | undefined;
  let serverOver = (): Promise<void> => Promise.resolve();
  try {
    const { upstream, heldBack, over } = await startServer(options, { ...serving, proxy }, argvHash);
    serverOver = over;
    const started = performance.now();
    const outcome = await passMessages(options, { ...serving, maxInspectBytes }, upstream);
    exit = outcome.exit;
    const failed = outcome.cause.kind === 'server ended' && exit?.code !== 0;
    const missed = failed && performance.now() - started < EARLY_MS ? heldBackText(heldBack) : undefined;
    if (missed !== undefined) options.log(missed);
    return exitCodeOf(outcome.cause, exit);
  } finally {
    secrets.serverGone();
    // The gateway knows nothing of its calls after that.
    await atMost(FLUSH_MS, core.decided());
    core.upstreamEnd(token, exit ?? { code: null, signal: null });
    await Promise.all([core.flush(FLUSH_MS), serverOver()]);
  }
}
