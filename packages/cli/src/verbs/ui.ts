import { numberAt, SublError, textAt } from '@subluminal/core-types';
import type { Command } from 'commander';
import { askOperator } from '../gateway/door.js';
import { assertOutsideRun } from '../gateway/outside-run.js';
import { ensureGateway } from '../gateway/start.js';
import { counted } from '../output/counted.js';
import { ago } from '../output/time.js';
import type { Call } from '../program/call.js';
import { EXIT } from '../program/exit/codes.js';
import { flag, unless, type Values } from '../program/flags.js';
import type { Does } from '../program/verb.js';
import { forgetAddress, openBrowser } from '../ui/open-browser.js';

const FLAGS = {
  open: unless('print the address, and open no browser'),
  end: flag('end every session of the page, and shut its door'),
};

type Given = Call<Values<typeof FLAGS>>;

const UNLOCK = 'unlock';

/** `sub ui`: the page, in a browser; `sub ui unlock`: the digits with which the page may allow more. */
export function define(command: Command, does: Does): void {
  does(
    command.argument('[unlock]', 'print six digits with which an open page may allow more'),
    FLAGS,
    async (call) => {
      const [named] = call.args;
      if (named !== undefined && (named !== UNLOCK || call.flags.end))
        throw new SublError('usage', `\`${named}\` is not understood here`, {
          help: '`sub ui`, `sub ui unlock`, or `sub ui --end`',
        });
      await assertOutsideRun(call);
      if (named === UNLOCK) return unlock(call);
      return call.flags.end ? end(call) : open(call);
    },
  );
}

async function open(call: Given): Promise<number> {
  const { flags, home, output, session } = call;
  await ensureGateway(call, 'asked');
  const answer = await askOperator(home, session.now, 'ui.listen');
  const address = `http://${textAt(answer, 'host')}:${numberAt(answer, 'port')}/ui/#c=${textAt(answer, 'code')}`;
  const mayOpen = flags.open && !output.json && process.stdout.isTTY;
  const opened = mayOpen && openBrowser(home, address, session.environment.all);
  if (output.json) output.value({ address });
  else {
    output.line(address);
    output.note(
      `${opened ? 'a browser was asked to open it; ' : ''}it opens one session within a minute; \`sub ui --end\` ends all`,
    );
  }
  return EXIT.done;
}

async function unlock({ home, output, session }: Given): Promise<number> {
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
}

async function end({ home, output, session }: Given): Promise<number> {
  const answer = await askOperator(home, session.now, 'ui.end');
  forgetAddress(home);
  const ended = numberAt(answer, 'ended') ?? 0;
  if (output.json) output.value({ ended });
  else output.line(`${counted(ended, 'session')} ended, and the door of the page is shut`);
  return EXIT.done;
}
