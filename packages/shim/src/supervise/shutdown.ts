import { constants } from 'node:os';
import type { Exit, Upstream } from './upstream.js';

/** Why a session ends. */
export type EndCause =
  | { readonly kind: 'client closed' }
  | { readonly kind: 'client gone' }
  | { readonly kind: 'run over' }
  | { readonly kind: 'signal'; readonly signal: NodeJS.Signals }
  | { readonly kind: 'server deaf' }
  | { readonly kind: 'server ended' };

/** The whole of it stays below the 6 seconds within which nothing may be left. */
const KILL_AFTER_MS = 5000;
/** A server that was told by the end of its input gets so long before SIGTERM says it again. */
const TERM_AFTER_EOF_MS = 2000;
/** Processes that a server left running when it ended by itself have so long between SIGTERM and SIGKILL. */
const LEFTOVERS_MS = 2000;
const POLL_MS = 25;
/** After SIGKILL only the system can be slow. */
const KILLED_MS = 300;

/**
 * Ends an MCP server and everything that it started: its input is closed (after what the client sent was
 * `delivered`, if the client only closed its side), SIGTERM follows, at once or after 2 seconds of grace,
 * SIGKILL after 5 seconds. Resolves, with how the server itself ended, when nothing of it runs.
 */
export async function endUpstream(
  upstream: Upstream,
  cause: EndCause,
  delivered: () => Promise<void>,
): Promise<Exit | undefined> {
  let exit: Exit | undefined;
  void upstream.exited.then((ended) => {
    exit = ended;
  });
  const ended = (): boolean => exit !== undefined;
  const nothingLeft = (): boolean => exit !== undefined && upstream.remaining().length === 0;
  const started = performance.now();
  const left = (): number => KILL_AFTER_MS - (performance.now() - started);

  if (cause.kind === 'client closed') {
    await atMost(TERM_AFTER_EOF_MS, delivered());
    upstream.stdin.end();
    await until(ended, left() - KILL_AFTER_MS + TERM_AFTER_EOF_MS);
  } else upstream.stdin.end();
  if (cause.kind === 'signal') upstream.signalGroup(cause.signal);
  else if (!ended() && cause.kind !== 'server ended') upstream.signalAll('SIGTERM');
  await until(ended, left());
  if (ended() && !nothingLeft()) {
    upstream.signalAll('SIGTERM');
    await until(nothingLeft, Math.min(left(), LEFTOVERS_MS));
  }
  if (!nothingLeft()) {
    upstream.signalAll('SIGKILL');
    await until(nothingLeft, KILLED_MS);
  }
  return exit;
}

/**
 * The exit code of the shim: the server's own; 128 + n when a signal that we did not send ended it, or when
 * one was sent to us; 0 when the server had to be ended because its client had finished, 1 because it would
 * not talk any more.
 */
export function exitCodeOf(cause: EndCause, exit: Exit | undefined): number {
  if (cause.kind === 'signal') return exit?.code ?? 128 + constants.signals[cause.signal];
  if (cause.kind === 'run over') return 3;
  if (exit?.code !== null && exit?.code !== undefined) return exit.code;
  if (cause.kind === 'server deaf') return 1;
  if (cause.kind === 'server ended' && exit?.signal) return 128 + constants.signals[exit.signal];
  return 0;
}

/** Waits until the condition holds, at most `timeoutMs`. */
async function until(condition: () => boolean, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!condition() && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Waits for a promise, at most `timeoutMs`. */
export async function atMost(timeoutMs: number, promise: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs);
  });
  await Promise.race([promise, late]);
  clearTimeout(timer);
}
