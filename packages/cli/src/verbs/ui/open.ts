import { numberAt, textAt } from '@subluminal/core-types';
import type { Command } from 'commander';
import { askOperator } from '../../gateway/door.js';
import { assertOutsideRun } from '../../gateway/outside-run.js';
import { ensureGateway } from '../../gateway/start.js';
import { EXIT } from '../../program/exit/codes.js';
import { unless } from '../../program/flags.js';
import { subVerb, type Does } from '../../program/verb.js';
import { openBrowser } from '../../ui/open-browser.js';

const FLAGS = { open: unless('print the address, and open no browser') };

/** `sub ui`, `sub ui open`: the page, in a browser. */
export function defineOpen(group: Command, does: Does): void {
  does(subVerb(group, 'open', 'print the address of the page, and open it'), FLAGS, async (call) => {
    const { flags, home, output, session } = call;
    await assertOutsideRun(call);
    await ensureGateway(call, 'asked');
    const answer = await askOperator(home, session.now, 'ui.listen');
    const address = `http://${textAt(answer, 'host')}:${numberAt(answer, 'port')}/ui/#c=${textAt(answer, 'code')}`;
    const mayOpen = flags.open && !output.json && process.stdout.isTTY;
    const opened = mayOpen && openBrowser(home, address, session.environment.all);
    if (output.json) output.value({ address });
    else {
      output.line(address);
      output.note(
        `${opened ? 'a browser was asked to open it; ' : ''}it opens one session within a minute; \`sub ui end\` ends all`,
      );
    }
    return EXIT.done;
  });
}
