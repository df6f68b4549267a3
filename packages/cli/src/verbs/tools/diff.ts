import type { Command } from 'commander';
import { listAt, numberAt, textAt, type JsonObject, shellWord } from '@subluminal/core-types';
import { EXIT } from '../../program/exit/codes.js';
import { askOperator } from '../../gateway/door.js';
import { isOutsideRun } from '../../gateway/outside-run.js';
import { escapeText } from '../../output/escape.js';
import { subVerb, type Does } from '../../program/verb.js';
import { differenceLines } from './difference.js';

const ADVICE = { not_found: '`sub tools list` shows what is known and held' } as const;

/** `sub tools diff [SERVER [TOOL]]`. */
export function defineDiff(group: Command, does: Does): void {
  does(
    subVerb(group, 'diff', 'show what is held, beside what was approved')
      .argument('[server]', 'only of this server')
      .argument('[tool]', 'only this tool'),
    {},
    async (call) => {
      const [server, tool] = call.args;
      const isOutside = await isOutsideRun(call);
      const data = await askOperator(
        call.home,
        call.session.now,
        'tools.diff',
        {
          ...(server === undefined ? {} : { server_name: server }),
          ...(tool === undefined ? {} : { tool_name: tool }),
          // Approving takes what was shown to the operator; what an agent looks at was not.
          shown: isOutside,
        },
        ADVICE,
      );
      const held = listAt(data, 'tools');
      const { output } = call;
      if (output.json) for (const one of held) output.value(one);
      else if (held.length === 0) output.line('nothing is held: all tools are what was approved');
      else {
        for (const [at, one] of held.entries()) {
          if (at > 0) output.line();
          output.lines(differenceLines(one, output.paint));
        }
      }
      const omitted = numberAt(data, 'omitted') ?? 0;
      if (omitted > 0) output.note(`${omitted} more do not fit: ask for one server or tool at a time`);
      if (isOutside && !output.json && held.length > 0) output.note(nextOf(held));
      return EXIT.done;
    },
  );
}

/** The command that takes what was shown. */
function nextOf([one, ...more]: readonly JsonObject[]): string {
  const named = [one ?? null].flatMap((tool) => [textAt(tool, 'server_name'), textAt(tool, 'tool_name')]);
  const words = more.length === 0 ? named.map((word) => shellWord(escapeText(word))) : ['SERVER', 'TOOL'];
  return `\`sub tools approve ${words.join(' ')}\` lets it be used as it was shown`;
}
