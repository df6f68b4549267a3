import { canonicalize, isSublError } from '@subluminal/core-types';
import type { CommandEnd } from '@subluminal/worlds';
import type { Call } from '../program/call.js';
import { report } from '../program/report.js';

/** The exit code of a command that was not asked for, or whose world could not be made. */
const OURS = 125;

/** Gives the exit code of a command in a world, and with `--json` a last line of stderr for programs. */
export async function endOfCommand(call: Call, command: () => Promise<CommandEnd>): Promise<number> {
  try {
    const { exit, spanId, worldId } = await command();
    if (call.output.json)
      call.output.note(canonicalize({ exit, span_id: spanId ?? null, world_id: worldId ?? null }));
    return exit;
  } catch (error) {
    if (!isSublError(error)) throw error;
    report(error, call.output);
    return OURS;
  }
}
