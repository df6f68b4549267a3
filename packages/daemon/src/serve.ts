import { readFileSync } from 'node:fs';
import { isSublError, redact, SublError } from '@subluminal/core-types';
import { readArguments } from './argv.js';
import { startGateway } from './compose/gateway.js';
import { tryProxy } from '@subluminal/egress';
import { rehearseStart } from './home/rehearse.js';
import { restoreHome } from './home/restore.js';
import { errorText } from '@subluminal/gateway';

/** Exit codes of the gateway's own process: done, could not start or stop, wrong command line. */
const EXIT = { done: 0, failed: 1, usage: 2 } as const;

/**
 * Runs a gateway until SIGTERM, SIGINT or `gateway.stop`. Where the command line asks for it, it restores the
 * home's ledger, or only rehearses a start, or only tries the proxy. Resolves with the exit code: 0 after a
 * clean stop, 1 when it could not start (also when another one serves the home, `already_running`), 2 for a
 * wrong command line. The reason is one line on standard error, beginning with its code.
 */
export async function serve(argv: readonly string[]): Promise<number> {
  // A reader of the log may leave: that ends the printing, never the work.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  try {
    const { home, foreground, headsLog, restore, reason, rehearse, tryProxy: port } = readArguments(argv);
    if (port !== undefined) {
      process.stdout.write(`${await tryProxy(port, readFileSync(0, 'latin1').trim())}\n`);
      return EXIT.done;
    }
    if (rehearse !== undefined) {
      await rehearseStart({ home, last: rehearse, clock: Date.now });
      return EXIT.done;
    }
    if (restore !== undefined) {
      await restoreHome({ home, backup: restore, reason, headsLog, clock: Date.now });
      return EXIT.done;
    }
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
    const reason = isSublError(error) ? error : unforeseen(error);
    process.stderr.write(`${describe(reason)}\n`);
    return reason.code === 'usage' ? EXIT.usage : EXIT.failed;
  }
}

function unforeseen(error: unknown): SublError {
  return new SublError('failed', `the gateway could not be started: ${errorText(error)}`, {
    cause: error,
    help: 'run `sub doctor`; `logs/gateway.log` in the home may say more',
  });
}

function describe(error: SublError): string {
  const help = error.help === undefined ? '' : ` (${error.help})`;
  // It may quote a file or a path: a terminal must not be told what to do by one.
  const { text } = redact(`${error.code}: ${error.message}${help}`);
  return text.replaceAll(/\s+/g, ' ').replaceAll(/\p{C}/gu, '\u{fffd}');
}
