import { SublError } from '@subluminal/core-types';
import type { Command } from 'commander';
import { assertOutsideRun } from '../../gateway/outside-run.js';
import { escapeText } from '../../output/escape.js';
import type { Call } from '../../program/call.js';
import { EXIT } from '../../program/exit/codes.js';
import { flag, type Values } from '../../program/flags.js';
import { subVerb, takesId, type Does } from '../../program/verb.js';
import { WORLD_FLAGS } from '../../run/command/flags.js';
import { viewOfFlags } from '../../run/command/world-flags.js';
import { backendOf } from '../../world/backend/backend-of.js';
import { closeSession, type OpenSession } from '../../world/session/close.js';
import { openSessions, sessionPlace } from '../../world/session/place.js';

const FLAGS = { all: flag('every world that waits for commands'), ...WORLD_FLAGS };

/** `sub world close`: ends the world of the folder, or one by its id, and everything that runs there. */
export function defineClose(group: Command, does: Does): void {
  does(
    takesId(
      subVerb(group, 'close', 'end a world and everything that runs in it'),
      '[world]',
      'its id (default: the world of this folder)',
    ),
    FLAGS,
    async (call) => {
      // Before anything ends: what is no id is a flag that does not exist.
      const id = call.optionalId('world');
      await assertOutsideRun(call);
      const backend = backendOf(call);
      if (backend.name !== 'linux-local') {
        await backend.close(viewOfFlags(call));
        return EXIT.done;
      }
      const found = chosen(call, id);
      await Promise.all(found.map((session) => closeSession(session)));
      if (call.output.json) call.output.value({ closed: found.map((one) => one.world_id) });
      else
        for (const { folder } of found)
          call.output.note(`sub: closed the world of \`${escapeText(folder)}\``);
      return EXIT.done;
    },
  );
}

function chosen(call: Call<Values<typeof FLAGS>>, id: string | undefined): readonly OpenSession[] {
  const sessions = openSessions(call.home);
  if (call.flags.all) return sessions;
  const place = id === undefined ? sessionPlace(call.home, viewOfFlags(call)) : undefined;
  const found = sessions.filter((one) => one.world_id === id || one.place.about === place?.about);
  if (found.length > 0) return found;
  const what =
    id === undefined
      ? 'this folder has no world that waits for commands'
      : `\`${id}\` is no world that waits for commands`;
  throw new SublError('not_found', what, {
    help: '`sub world status` lists the worlds; one of a run or a server ends with it',
  });
}
