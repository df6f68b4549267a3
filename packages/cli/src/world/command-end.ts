import { canonicalize } from '@subluminal/core-types';
import type { CommandEnd } from '@subluminal/worlds';
import type { Call } from '../program/call.js';
import { asSublError, report } from '../program/report.js';

/** The exit code of a command that was not asked for, or whose world could not be made. */
const OURS = 125;

/**
 * Gives the exit code of a command in a world, and with `--json` a last line of stderr for programs: stdout
 * is the command's, so all else that is told is for people, on stderr.
 */
export async function endOfCommand<V extends object>(
  call: Call<V>,
  command: (call: Call<V>) => Promise<CommandEnd>,
): Promise<number> {
  const told = call.forPeople();
  let end: CommandEnd = { exit: OURS, worldId: undefined, spanId: undefined };
  try {
    end = await command(told);
  } catch (error) {
    report(asSublError(error), told.output);
  }
  const { exit, spanId, worldId } = end;
  if (call.output.json)
    call.output.note(canonicalize({ exit, span_id: spanId ?? null, world_id: worldId ?? null }));
  return exit;
}
