import { isSublError, SublError } from '@subluminal/core-types';
import type { Command } from 'commander';
import { bashScript, fishScript, zshScript } from '../program/completion/scripts.js';
import { KINDS } from '../program/completion/kinds.js';
import { treeOf } from '../program/completion/tree.js';
import { EXIT } from '../program/exit/codes.js';
import type { Call } from '../program/call.js';
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
    command
      .argument('<shell>', 'bash|zsh|fish: `eval "$(sub completion bash)"`, `sub completion fish | source`')
      .argument('[kind]', `after \`values\`, for those scripts: the ${KINDS.join(', ')} that there are`),
    {},
    async (call) => {
      const shell = call.operand(0, 'shell');
      if (shell === 'values') return listValues(call, call.operand(1, 'kind'));
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

/** Nothing is said of what cannot be had: whoever presses TAB has asked for no such thing. */
async function listValues(call: Call, named: string): Promise<number> {
  const kind = KINDS.find((one) => one === named);
  if (kind === undefined)
    throw new SublError('usage', `\`${named}\` is no kind of values`, {
      help: `the kinds are ${KINDS.map((one) => `\`${one}\``).join(', ')}`,
    });
  const { valueLine, valuesOf } = await import('../program/completion/values.js');
  try {
    const lines = (await valuesOf(call, kind)).flatMap(valueLine);
    call.output.raw(lines.map((line) => `${line}\n`).join(''));
  } catch (error) {
    if (!isSublError(error)) throw error;
  }
  return EXIT.done;
}
