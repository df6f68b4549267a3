import { isSublError } from '@subluminal/core-types';
import type { Command } from 'commander';
import { assertOutsideRun } from '../../gateway/outside-run.js';
import { escapeText } from '../../output/escape.js';
import { EXIT } from '../../program/exit/codes.js';
import { subVerb, type Does } from '../../program/verb.js';
import { WORLD_FLAGS } from '../../run/command/flags.js';
import { viewOfFlags } from '../../run/command/world-flags.js';
import { backendOf } from '../../world/backend/backend-of.js';

/** `sub world restart`: a new world for the folder. */
export function defineRestart(group: Command, does: Does): void {
  does(
    subVerb(group, 'restart', 'end the world of this folder and make a new one'),
    WORLD_FLAGS,
    async (call) => {
      await assertOutsideRun(call);
      const view = viewOfFlags(call);
      const backend = backendOf(call);
      await backend.close(view).catch((error: unknown) => {
        // There was none, and there will be one.
        if (!isSublError(error) || error.code !== 'not_found') throw error;
      });
      await backend.ensureSession(view);
      if (call.output.json) call.output.value({ ok: true });
      else call.output.note(`sub: the world of \`${escapeText(view.folder)}\` is new`);
      return EXIT.done;
    },
  );
}
