import { numberAt, textAt } from '@subluminal/core-types';
import type { Command } from 'commander';
import { askOperator } from '../../gateway/door.js';
import { assertOutsideRun } from '../../gateway/outside-run.js';
import { ago } from '../../output/time.js';
import { EXIT } from '../../program/exit/codes.js';
import { subVerb, type Does } from '../../program/verb.js';

/** `sub ui unlock`: the digits with which the page may allow more. */
export function defineUnlock(group: Command, does: Does): void {
  const summary = 'print six digits with which an open page may allow more';
  does(subVerb(group, 'unlock', summary), {}, async (call) => {
    const { home, output, session } = call;
    await assertOutsideRun(call);
    const answer = await askOperator(home, session.now, 'ui.unlock');
    const [code, seconds] = [textAt(answer, 'code'), numberAt(answer, 'seconds') ?? 0];
    const page = textAt(answer, 'session');
    if (output.json) output.value({ code, seconds, session: page });
    else {
      output.line(code);
      output.note(
        `type them within ${seconds} seconds into the page that you used last (opened ${ago(numberAt(answer, 'begun_at') ?? 0, session.now())}, session ${page.slice(-6)}); it may then allow more for 15 minutes`,
      );
    }
    return EXIT.done;
  });
}
