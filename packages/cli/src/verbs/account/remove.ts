import type { Command } from 'commander';
import { EXIT } from '../../program/exit/codes.js';
import { askOperator } from '../../gateway/door.js';
import { assertOutsideRun } from '../../gateway/outside-run.js';
import { subVerb, type Does } from '../../program/verb.js';
import { ACCOUNT_ADVICE } from './advice.js';
import { accountName } from './name.js';

/** `sub account remove NAME`. */
export function defineRemove(group: Command, does: Does): void {
  does(
    subVerb(group, 'remove', 'take an account out, and its secret with it').argument(
      '<name>',
      'the name that `sub account list` shows',
    ),
    {},
    async (call) => {
      await assertOutsideRun(call);
      const name = accountName(call, 0);
      const data = await askOperator(call.home, call.session.now, 'account.remove', { name }, ACCOUNT_ADVICE);
      if (call.output.json) call.output.value(data);
      else call.output.line(`removed \`${name}\`; what the allowlist lets through for it stays there`);
      return EXIT.done;
    },
  );
}
