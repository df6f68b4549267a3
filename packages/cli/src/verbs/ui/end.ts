import { numberAt } from '@subluminal/core-types';
import type { Command } from 'commander';
import { askOperator } from '../../gateway/door.js';
import { assertOutsideRun } from '../../gateway/outside-run.js';
import { counted } from '../../output/counted.js';
import { EXIT } from '../../program/exit/codes.js';
import { subVerb, type Does } from '../../program/verb.js';
import { forgetAddress } from '../../ui/open-browser.js';

/** `sub ui end`: no session of the page goes on. */
export function defineEnd(group: Command, does: Does): void {
  const summary = 'end every session of the page, and shut its door';
  does(subVerb(group, 'end', summary), {}, async (call) => {
    const { home, output, session } = call;
    await assertOutsideRun(call);
    const answer = await askOperator(home, session.now, 'ui.end');
    forgetAddress(home);
    const ended = numberAt(answer, 'ended') ?? 0;
    if (output.json) output.value({ ended });
    else output.line(`${counted(ended, 'session')} ended, and the door of the page is shut`);
    return EXIT.done;
  });
}
