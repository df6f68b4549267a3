import { isSublError, type SublError } from '@subluminal/core-types';
import { readArguments } from './argv.js';
import { startGateway } from './compose.js';

/** Exit codes of the gateway's own process: done, could not start or stop, wrong command line. */
const EXIT = { done: 0, failed: 1, usage: 2 } as const;

/**
 * Runs a gateway until SIGTERM, SIGINT or `gateway.stop`. Resolves with the exit code: 0 after a clean stop, 1 when it
 * could not start (also when another one serves the home, `already_running`), 2 for a wrong command line. The reason is
 * one line on standard error, beginning with its code.
 */
export async function serve(argv: readonly string[]): Promise<number> {
  try {
    const { home, foreground, headsLog } = readArguments(argv);
    const gateway = await startGateway({
      home,
      ...(headsLog === undefined ? {} : { headsLog }),
      ...(foreground ? { echo: process.stderr } : {}),
    });
    process.once('SIGTERM', () => gateway.stopSoon('SIGTERM'));
    process.once('SIGINT', () => gateway.stopSoon('SIGINT'));
    process.on('uncaughtExceptionMonitor', (error) => gateway.logCrash(error));
    return (await gateway.stopped) === 'clean' ? EXIT.done : EXIT.failed;
  } catch (error) {
    if (!isSublError(error)) throw error;
    process.stderr.write(`${describe(error)}\n`);
    return error.code === 'usage' ? EXIT.usage : EXIT.failed;
  }
}

function describe(error: SublError): string {
  const help = error.help === undefined ? '' : ` (${error.help})`;
  // It may quote a file or a path: a terminal must not be told what to do by one.
  return `${error.code}: ${error.message}${help}`.replaceAll(/\s+/g, ' ').replaceAll(/\p{C}/gu, '\u{fffd}');
}
