import { SublError } from '@subluminal/core-types';
import type { Command } from 'commander';
import { EXIT } from '../exit/codes.js';
import { suggestionFor } from './suggest.js';
import type { Does } from '../verb.js';
import { allHelp } from './main-help.js';
import { VERBS } from '../verbs.js';

/** `sub help [VERB…]`: the help of `sub`, of a verb, or of a verb in a group (`sub help allow add`). */
export function defineHelp(program: Command, does: Does): void {
  does(
    program
      .command('help')
      .summary('show help for a verb')
      .description('show help for a verb.')
      .helpGroup('Other:')
      .argument('[verb...]', 'the verb, or `all` for the list of all'),
    {},
    (call) => {
      if (call.args.length === 1 && call.args[0] === 'all') {
        call.output.raw(allHelp(VERBS));
        return Promise.resolve(EXIT.done);
      }
      let command = program;
      for (const [at, name] of call.args.entries())
        command = memberOf(command, name, call.args.slice(0, at + 1));
      command.outputHelp();
      return Promise.resolve(EXIT.done);
    },
  );
}

function memberOf(command: Command, name: string, words: readonly string[]): Command {
  const shown = command.createHelp().visibleCommands(command);
  const found = shown.find((member) => member.name() === name);
  if (found !== undefined) return found;
  throw new SublError('usage', `there is no verb \`${words.join(' ')}\``, {
    help: suggestionFor(command, words.slice(0, -1), name) ?? 'see `sub help`',
  });
}
