import type { Readable } from 'node:stream';
import { DEFAULT_LIMITS, hidingCore, type ServerSecrets } from '@subluminal/mcp';
import { StdioSession } from '../adapter/stdio-session.js';
import type { ShimOptions } from '../options.js';
import { maskedStream } from '../secrets/masked-stream.js';
import { Endings } from '../supervise/endings.js';
import { atMost, type EndCause, endUpstream } from '../supervise/shutdown.js';
import type { Exit, Upstream } from '../supervise/upstream.js';
import { FLUSH_MS, LAST_ANSWERS_MS } from './times.js';
import type { Serving } from './serving.js';

/** Passes messages until there is a reason to end, then ends the server. */
export async function passMessages(
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
