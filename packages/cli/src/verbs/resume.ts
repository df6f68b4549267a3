import type { Command } from 'commander';
import { valueAt } from '@subluminal/core-types';
import { EXIT } from '../program/exit/codes.js';
import { askOperator } from '../gateway/door.js';
import { assertOutsideRun } from '../gateway/outside-run.js';
import { ensureGateway } from '../gateway/start.js';
import type { Does } from '../program/verb.js';

/** `sub resume`: lets new runs begin again after `sub panic`. Runs that were ended stay ended. */
export function define(command: Command, does: Does): void {
  does(command, {}, async (call) => {
    await assertOutsideRun(call);
    // The gateway alone lets go: it records that it does.
    await ensureGateway(call, 'asked');
    const answer = await askOperator(call.home, call.session.now, 'panic.end');
    const resumed = valueAt(answer, 'resumed') === true;
    if (call.output.json) call.output.value({ resumed });
    else
      call.output.line(
        resumed
          ? 'new runs may begin; those that were ended stay ended: restart their clients'
          : 'nothing was stopped',
      );
    return EXIT.done;
  });
}
