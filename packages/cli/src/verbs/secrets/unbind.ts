import { headerKey, isHeaderBinding, type SecretBinding, SublError } from '@subluminal/core-types';
import type { Command } from 'commander';
import { EXIT } from '../../program/exit/codes.js';
import { askOperator } from '../../gateway/door.js';
import { assertOutsideRun } from '../../gateway/outside-run.js';
import { ensureGateway } from '../../gateway/start.js';
import { counted } from '../../output/counted.js';
import { string } from '../../program/flags.js';
import { subVerb, type Does } from '../../program/verb.js';
import { readBindings, withoutBindings, writeBindings } from '../../secrets/bindings-file.js';
import { boundPayload } from './bound-payload.js';

const FLAGS = {
  as: string('<variable>', 'only this variable or header (default: all of the server)'),
};

/** `sub secrets unbind SERVER [--as VARIABLE]`. */
export function defineUnbind(group: Command, does: Does): void {
  does(
    subVerb(
      group,
      'unbind',
      'take a secret from a server; one that runs keeps it until it ends, a remote one gets it no more',
    ).argument('<server>', 'the server’s name'),
    FLAGS,
    async (call) => {
      await assertOutsideRun(call);
      const server = call.operand(0, 'server');
      const variable = call.flags.as;
      const file = readBindings(call.home);
      const places = new Set(
        file.bindings.flatMap((one, at) =>
          one.server_name === server && (variable === undefined || isNamed(one, variable)) ? [at] : [],
        ),
      );
      if (places.size === 0) {
        throw new SublError('not_found', `\`${server}\` has no such secret`, {
          help: '`sub secrets list` shows which server gets what',
        });
      }
      const text = withoutBindings(file, places);
      const gone = file.bindings.filter((_, at) => places.has(at));
      await ensureGateway(call, 'automatic');
      for (const binding of gone)
        await askOperator(call.home, call.session.now, 'secrets.bound', boundPayload('unbound', binding));
      writeBindings(file, text);
      if (call.output.json) call.output.value({ server_name: server, unbound: gone.length });
      else call.output.line(`took ${counted(gone.length, 'secret')} from \`${server}\``);
      return EXIT.done;
    },
  );
}

/** Headers are the same in upper and lower case. */
function isNamed(binding: SecretBinding, name: string): boolean {
  const { inject_as: own } = binding;
  return isHeaderBinding(binding) ? headerKey(own) === headerKey(name) : own === name;
}
