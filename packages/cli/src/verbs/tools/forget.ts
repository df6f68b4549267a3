import type { Command } from 'commander';
import { textAt } from '@subluminal/core-types';
import { EXIT } from '../../program/exit/codes.js';
import { askOperator } from '../../gateway/door.js';
import { assertOutsideRun } from '../../gateway/outside-run.js';
import { escapeText } from '../../output/escape.js';
import { subVerb, type Does } from '../../program/verb.js';

const ADVICE = { not_found: '`sub tools list` shows the servers that are known' } as const;

/** `sub tools forget SERVER`. */
export function defineForget(group: Command, does: Does): void {
  does(
    subVerb(group, 'forget', 'let the next list of a server be its first').argument('<server>', 'the server'),
    {},
    async (call) => {
      await assertOutsideRun(call);
      const payload = { server_name: call.operand(0, 'server') };
      const data = await askOperator(call.home, call.session.now, 'tools.forget', payload, ADVICE);
      if (call.output.json) call.output.value(data);
      else {
        const counts = `${textAt(data, 'pinned')} pinned, ${textAt(data, 'held')} held`;
        call.output.line(`forgot the tools of \`${escapeText(payload.server_name)}\` (${counts})`);
      }
      return EXIT.done;
    },
  );
}
