import { canonicalize } from '@subluminal/core-types';
import type { Command } from 'commander';
import { EXIT } from '../../program/exit/codes.js';
import { assertDeliverable, deliver, FORCE } from '../../output/result-file.js';
import { policyPath, readPolicy } from '../../policy/source.js';
import { string } from '../../program/flags.js';
import { subVerb, type Does } from '../../program/verb.js';
import { printMistakes, resultJson } from './lint.js';

const FLAGS = {
  out: { ...string('<file>', 'write it to a file, whose SHA-256 is the policy_hash'), short: 'o' },
  force: FORCE,
};

/** `sub policy compile FILE`: what the gateway makes of a file, with every default written out. */
export function defineCompile(group: Command, does: Does): void {
  does(
    subVerb(group, 'compile', 'print the normal form of a policy, and its hash').argument(
      '<file>',
      'the file (`-` for standard input)',
    ),
    FLAGS,
    async (call) => {
      assertDeliverable(call);
      const file = readPolicy(policyPath(call.operand(0, 'file'), call.session.starterPolicies));
      if (!file.result.ok) {
        if (call.output.json) call.output.value(resultJson(file));
        else printMistakes(call, file);
        return EXIT.failed;
      }
      const { plain, policy_hash: hash } = file.result.snapshot;
      const bundle = canonicalize(plain);
      const written = deliver(call, call.flags.out === undefined ? `${bundle}\n` : bundle);
      if (call.output.json) call.output.value({ ...resultJson(file), bundle: plain, written });
      else call.output.note(`policy_hash ${hash}`);
      return EXIT.done;
    },
  );
}
