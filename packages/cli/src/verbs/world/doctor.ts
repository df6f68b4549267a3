import type { Command } from 'commander';
import { printChecks } from '../../doctor/check.js';
import { EXIT } from '../../program/exit/codes.js';
import { subVerb, type Does } from '../../program/verb.js';
import { checkLimits } from '../../world/check-limits.js';
import { checkMachine } from '../../world/check-machine.js';
import { tryWorld } from '../../world/try-world.js';

/** `sub world doctor`: what worlds are made of, and one that is tried. Fails when a check does. */
export function defineDoctor(group: Command, does: Does): void {
  does(
    subVerb(group, 'doctor', 'say whether this machine makes worlds, and what is missing'),
    {},
    async (call) => {
      const machine = checkMachine();
      const isReady = machine.every(({ level }) => level !== 'fail');
      const checks = isReady ? [...machine, await checkLimits(), await tryWorld(call)] : machine;
      const isOk = checks.every(({ level }) => level !== 'fail');
      if (call.output.json) call.output.value({ ok: isOk, checks });
      else printChecks(call.output, checks);
      return isOk ? EXIT.done : EXIT.failed;
    },
  );
}
