import type { Command } from 'commander';
import { EXIT } from '../../exit/codes.js';
import { askOperator } from '../../gateway/door.js';
import { assertOutsideRun } from '../../gateway/outside-run.js';
import { counted } from '../../output/counted.js';
import { subVerb, type Does } from '../../program/verb.js';
import { readBindings } from '../../secrets/bindings-file.js';
import { secretName } from './add.js';

/** `sub secrets remove NAME`. */
export function defineRemove(group: Command, does: Does): void {
  subVerb(group, 'remove', 'take a secret out of the store')
    .argument('<name>', 'the name that `sub secrets list` shows')
    .action(
      does(async (call) => {
        assertOutsideRun(call.home);
        const name = secretName(call);
        await askOperator(
          call.home,
          call.session.now,
          'secrets.remove',
          { name },
          { not_found: '`sub secrets list` shows the names' },
        );
        const left = readBindings(call.home).bindings.filter(
          ({ source, secret_ref: reference }) => source === 'store' && reference === name,
        );
        if (call.output.json) call.output.value({ name, still_bound: left.length });
        else call.output.line(`removed \`${name}\``);
        if (left.length > 0)
          call.output.note(
            `${counted(left.length, 'binding')} still ${left.length === 1 ? 'names' : 'name'} it: such a server does not start`,
          );
        return EXIT.done;
      }),
    );
}
