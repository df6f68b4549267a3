import { isShell, kindOf } from '../work/kind.js';
import type { Mechanism } from './mechanism.js';

/** Something was checked: tests, types, a linter, a build. It need not have passed, and the entry says so. */
export const testsRun: Mechanism = {
  name: 'tests',
  evidence: (action) =>
    isShell(action.tool) && kindOf(action) === 'check' ? { status: action.status ?? 'unknown' } : undefined,
};
