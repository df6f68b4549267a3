import type { Command } from 'commander';
import { assertOutsideRun } from '../../gateway/outside-run.js';
import { EXIT } from '../../program/exit/codes.js';
import { flag } from '../../program/flags.js';
import { subVerb, type Does } from '../../program/verb.js';
import { WORLD_FLAGS } from '../../run/command/flags.js';
import { viewOfFlags } from '../../run/command/world-flags.js';
import { backendOf } from '../../world/backend/backend-of.js';

/** `sub world warm`: makes the world of the folder. With `--stay` this process keeps it. */
export function defineWarm(group: Command, does: Does): void {
  does(
    subVerb(group, 'warm', 'make the world of this folder before the first command'),
    { stay: flag('keep it here, in the foreground, until it is closed'), ...WORLD_FLAGS },
    async (call) => {
      await assertOutsideRun(call);
      const view = viewOfFlags(call);
      if (call.flags.stay) {
        // Loaded late: whoever brings a command needs none of it.
        const { holdWorld } = await import('../../world/session/hold.js');
        await holdWorld(call, view, () => call.output.value({ ready: true }));
        return EXIT.done;
      }
      await backendOf(call).ensureSession(view);
      if (call.output.json) call.output.value({ ok: true });
      else call.output.note(`sub: the world of \`${view.folder}\` is up`);
      return EXIT.done;
    },
  );
}
