import { newId, SecretName, SublError } from '@subluminal/core-types';
import { readKeychain, writeKeychain } from '@subluminal/shim';
import type { Command } from 'commander';
import { EXIT } from '../../program/exit/codes.js';
import { askOperator } from '../../gateway/door.js';
import { assertOutsideRun } from '../../gateway/outside-run.js';
import { ensureGateway } from '../../gateway/start.js';
import type { Call } from '../../program/call.js';
import { flag, type Values } from '../../program/flags.js';
import { subVerb, type Does } from '../../program/verb.js';
import { readSecretValue } from '../../secrets/read-value.js';

const FLAGS = {
  replace: flag('put another value in the place of the one that is there'),
  keychain: flag('into the keychain of the system, in place of the gateway’s store'),
};

type Given = Call<Values<typeof FLAGS>>;

/** `sub secrets add NAME`. */
export function defineAdd(group: Command, does: Does): void {
  does(
    subVerb(
      group,
      'add',
      'put a secret into the gateway’s store; it is typed unseen, or read from standard input',
    ).argument('<name>', 'how bindings call it'),
    FLAGS,
    async (call) => {
      await assertOutsideRun(call);
      const name = secretName(call);
      await ensureGateway(call, 'automatic');
      const where = call.flags.keychain ? 'keychain' : 'store';
      const put = where === 'store' ? toStore : toKeychain;
      await put(call, name);
      if (call.output.json) call.output.value({ name, source: where });
      else call.output.line(`\`${name}\` is in the ${where}; \`sub secrets bind\` gives it to a server`);
      return EXIT.done;
    },
  );
}

async function toStore(call: Given, name: string): Promise<void> {
  const value = await readSecretValue(call, `value of \`${name}\``);
  // The record has the hash of what was asked: a guess must not be confirmed by it.
  const salt = `${newId()}${newId()}`;
  const replace = call.flags.replace;
  await askOperator(call.home, call.session.now, 'secrets.add', { name, value, salt, replace });
}

/** The gateway starts no process, so it does not ask a keychain: it records what was done. */
async function toKeychain(call: Given, name: string): Promise<void> {
  const isThere = (await readKeychain(name)) !== undefined;
  if (isThere && !call.flags.replace) {
    throw new SublError('usage', `there is a secret \`${name}\` in the keychain already`, {
      help: 'add `--replace` for another value in its place',
    });
  }
  const value = await readSecretValue(call, `value of \`${name}\``);
  const change = isThere ? 'replaced' : 'added';
  await askOperator(call.home, call.session.now, 'secrets.kept', { change, name });
  await writeKeychain(name, value);
}

/** The name that was given. Throws `usage`. */
export function secretName(call: Call): string {
  const given = call.operand(0, 'name');
  const checked = SecretName.safeParse(given);
  if (checked.success) return checked.data;
  // It may be the secret itself, in the wrong place: it is not repeated.
  throw new SublError('usage', 'this is not the name of a secret', {
    help: 'a name has letters, digits, `_`, `.` and `-`, 64 at most; the value is asked for, and never on the command line',
  });
}
