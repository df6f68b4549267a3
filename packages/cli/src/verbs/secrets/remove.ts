import { SublError } from '@subluminal/core-types';
import { readKeychain, removeKeychain } from '@subluminal/shim';
import type { Command } from 'commander';
import { EXIT } from '../../program/exit/codes.js';
import { askOperator } from '../../gateway/door.js';
import { assertOutsideRun } from '../../gateway/outside-run.js';
import { counted } from '../../output/counted.js';
import type { Call } from '../../program/call.js';
import { flag } from '../../program/flags.js';
import { subVerb, type Does } from '../../program/verb.js';
import { readBindings } from '../../secrets/bindings-file.js';
import { secretName } from './add.js';

const FLAGS = {
  keychain: flag('out of the keychain of the system'),
};

/** `sub secrets remove NAME`. */
export function defineRemove(group: Command, does: Does): void {
  does(
    subVerb(group, 'remove', 'take a secret out of the store, or out of the keychain').argument(
      '<name>',
      'the name that `sub secrets list` shows',
    ),
    FLAGS,
    async (call) => {
      await assertOutsideRun(call);
      const name = secretName(call);
      const where = call.flags.keychain ? 'keychain' : 'store';
      if (where === 'store') await fromStore(call, name);
      else await fromKeychain(call, name);
      const left = readBindings(call.home).bindings.filter(
        ({ source, secret_ref: reference }) => source === where && reference === name,
      );
      if (call.output.json) call.output.value({ name, still_bound: left.length });
      else call.output.line(`removed \`${name}\``);
      if (left.length > 0)
        call.output.note(
          `${counted(left.length, 'binding')} still ${left.length === 1 ? 'names' : 'name'} it: such a server does not start`,
        );
      return EXIT.done;
    },
  );
}

async function fromStore(call: Call, name: string): Promise<void> {
  const help = { not_found: '`sub secrets list` shows the names' };
  await askOperator(call.home, call.session.now, 'secrets.remove', { name }, help);
}

async function fromKeychain(call: Call, name: string): Promise<void> {
  if ((await readKeychain(name)) === undefined)
    throw new SublError('not_found', `there is no secret \`${name}\` in the keychain`);
  await askOperator(call.home, call.session.now, 'secrets.kept', { change: 'removed', name });
  await removeKeychain(name);
}
