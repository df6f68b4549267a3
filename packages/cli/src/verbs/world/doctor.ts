import type { Command } from 'commander';
import { type Check, found, ok, printChecks } from '../../doctor/check.js';
import { EXIT } from '../../program/exit/codes.js';
import { subVerb, type Does } from '../../program/verb.js';
import { checkLimits } from '../../world/check-limits.js';
import { leastNetwork } from '../../world/least.js';
import { HELD } from '../../world/networks.js';
import { checkBackend } from '../../world/check-backend.js';
import { checkMachine } from '../../world/check-machine.js';
import { tryWorld } from '../../world/try-world.js';

/**
 * `sub world doctor`: what worlds are made of, how weak they may be, and one that is tried. Fails when a
 * check does.
 */
export function defineDoctor(group: Command, does: Does): void {
  does(
    subVerb(group, 'doctor', 'say whether this machine makes worlds, and what is missing'),
    {},
    async (call) => {
      const least = leastNetwork(call.home);
      const isLinux = process.platform === 'linux';
      const machine = isLinux ? checkMachine() : [];
      const isReady = machine.every(({ level }) => level !== 'fail');
      // A weaker world needs less than a full one.
      const parts = least === 'full' ? machine : machine.map(softened);
      const named = isLinux ? [await checkNamed()] : [];
      const limits = isLinux && isReady ? [await checkLimits()] : [];
      const tried = isLinux && (isReady || least !== 'full') ? [await tryWorld(call)] : [];
      const backend = await checkBackend(call);
      const checks = [
        backend,
        ok('least', `\`${least}\`: ${HELD[least]}`),
        ...parts,
        ...named,
        ...limits,
        ...tried,
      ];
      const isOk = checks.every(({ level }) => level !== 'fail');
      if (call.output.json) call.output.value({ ok: isOk, checks });
      else printChecks(call.output, checks);
      return isOk ? EXIT.done : EXIT.failed;
    },
  );
}

function softened(check: Check): Check {
  return check.level === 'fail' ? { ...check, level: 'warn' } : check;
}

/** Whether a world without namespaces works here, for whoever would take one. */
async function checkNamed(): Promise<Check> {
  const { namedProblem } = await import('@subluminal/worlds');
  const problem = await namedProblem();
  return problem === undefined
    ? ok('named', `works: ${HELD.named}`)
    : found('named', 'warn', problem, 'it needs Perl, Landlock (Linux 5.13) and a filter that may ask');
}
