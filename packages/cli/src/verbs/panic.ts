import { isSublError, SublError } from '@subluminal/core-types';
import { assertHome, hasPanicMark, MAX_PANIC_REASON } from '@subluminal/ipc';
import type { Command } from 'commander';
import { EXIT } from '../program/exit/codes.js';
import { ensureGateway } from '../gateway/start.js';
import { counted } from '../output/counted.js';
import { escapeText } from '../output/escape.js';
import { stopEverything, type Stopped } from '../gateway/stop-everything.js';
import type { Call } from '../program/call.js';
import { string } from '../program/flags.js';
import type { Does } from '../program/verb.js';

const FLAGS = {
  reason: string('<text>', `why, for the record (${MAX_PANIC_REASON} characters of it are kept)`),
};

/**
 * `sub panic`: ends every run and refuses everything until `sub resume`. Open to everybody: it only takes
 * away.
 */
export function define(command: Command, does: Does): void {
  does(command, FLAGS, async (call) => {
    const given = call.flags.reason ?? '';
    const reason = beginningOf(given);
    assertHome(call.home);
    const stopped = await stopEverything({
      home: call.home,
      now: call.session.now,
      reason,
      start: () => started(call),
      note: (text) => call.output.note(text),
    });
    // The gateway that was told has tried as well.
    const isMarked = stopped.unmarked === undefined || hasPanicMark(call.home.panicMark);
    tell(call, stopped, isMarked);
    if (reason !== given) call.output.note(`of the reason ${reason.length} characters were kept`);
    return isMarked ? EXIT.done : EXIT.failed;
  });
}

/** The part of a reason that is kept: one that is too long holds no brake. Half of a character is none. */
function beginningOf(reason: string): string {
  return reason.length <= MAX_PANIC_REASON
    ? reason
    : reason.slice(0, MAX_PANIC_REASON).replace(/[\uD800-\uDBFF]$/, '');
}

async function started(call: Call): Promise<void> {
  try {
    await ensureGateway(call, 'asked');
  } catch (error) {
    if (!isSublError(error)) throw error;
    throw new SublError(
      error.code,
      `everything is marked as stopped, and no gateway could be started: ${error.message}`,
      {
        cause: error,
        help: `the next start ends the runs and refuses the rest; ${error.help ?? 'run `sub doctor`'}`,
      },
    );
  }
}

function tell({ output, home }: Call, { runsEnded, killed, already }: Stopped, isMarked: boolean): void {
  if (output.json) {
    const mark = isMarked ? home.panicMark : null;
    output.value({ panicked: true, already, runs_ended: runsEnded, killed, mark });
    return;
  }
  const runs = runsEnded === null ? 'every run' : counted(runsEnded, 'run');
  output.line(
    `everything is stopped${already ? ' (it was already)' : ''}: ${runs} ended, nothing new begins`,
  );
  output.note(
    isMarked
      ? `the mark is \`${escapeText(home.panicMark)}\`; \`sub resume\` lets runs begin again`
      : `\`${escapeText(home.panicMark)}\` cannot be written: what this gateway was told may end with it; make room, then \`sub panic\` again`,
  );
}
