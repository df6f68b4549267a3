import { checksWork } from '../work/checks.js';
import { isShell } from '../work/kind.js';
import type { Mechanism } from './mechanism.js';

/** The work was checked: tests, types, a linter. It need not have passed, and the entry says so. */
export const testsRun: Mechanism = {
  name: 'tests',
  evidence: ({ status, target, tool }) =>
    isShell(tool) && checksWork(target ?? '') ? { status: status ?? 'unknown' } : undefined,
};
