import type { Command } from 'commander';
import { objectAt, textAt } from '@subluminal/core-types';
import { EXIT } from '../../program/exit/codes.js';
import { askOperator } from '../../gateway/door.js';
import { assertOutsideRun } from '../../gateway/outside-run.js';
import { policyText } from '../../gateway/policy-text.js';
import { escapeText } from '../../output/escape.js';
import { subVerb, type Does } from '../../program/verb.js';

/** `sub policy reload`: loads the policy file now. A file with a mistake changes nothing. */
export function defineReload(group: Command, does: Does): void {
  does(
    subVerb(group, 'reload', 'load the policy file now; one with a mistake changes nothing'),
    {},
    async (call) => {
      await assertOutsideRun(call);
      const policy = objectAt(await askOperator(call.home, call.session.now, 'policy.reload'));
      if (call.output.json) call.output.value(policy);
      else {
        const what = textAt(policy, 'changed') === 'true' ? 'loaded' : 'unchanged';
        call.output.line(`${what}: ${escapeText(policyText(policy, call.session.now()))}`);
      }
      return EXIT.done;
    },
  );
}
