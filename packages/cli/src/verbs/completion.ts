import { SublError } from '@subluminal/core-types';
import type { Command } from 'commander';
import { bashScript, fishScript, zshScript } from '../program/completion/scripts.js';
import { treeOf } from '../program/completion/tree.js';
import { EXIT } from '../program/exit/codes.js';
import type { Does } from '../program/verb.js';

const SCRIPTS: ReadonlyMap<string, typeof bashScript> = new Map([
  ['bash', bashScript],
  ['zsh', zshScript],
  ['fish', fishScript],
]);

/**
 * `sub completion bash|zsh|fish`: a script made from the verbs and flags themselves, so that it cannot be
 * behind.
 */
export function define(command: Command, does: Does): void {
  does(
    command.argument(
      '<shell>',
      'bash, zsh or fish: `eval "$(sub completion bash)"`, `sub completion fish | source`',
    ),
    {},
    async (call) => {
      const shell = call.operand(0, 'shell');
      const script = SCRIPTS.get(shell);
      if (script === undefined || command.parent === null) {
        throw new SublError('usage', `there is no completion for \`${shell}\``, {
          help: 'the shells are `bash`, `zsh` and `fish`',
        });
      }
      const text = script(treeOf(command.parent));
      if (call.output.json) call.output.value({ shell, script: text });
      else call.output.raw(text);
      return EXIT.done;
    },
  );
}
