import { existsSync } from 'node:fs';
import { isSublError } from '@subluminal/core-types';
import type { HomePaths } from '@subluminal/ipc';
import { askOperator } from '../gateway/door.js';
import { numberAt, textAt } from '../output/fields.js';
import { failedWith, found, ok, type Check } from './check.js';

/** Does a gateway answer, and does it prove that it holds this home's keys? */
export async function checkGateway(home: HomePaths, now: () => number): Promise<Check> {
  try {
    const status = await askOperator(home, now, 'gateway.status');
    return ok(
      'gateway',
      `version ${textAt(status, 'version')}, pid ${numberAt(status, 'pid') ?? 'unknown'}, answers`,
    );
  } catch (error) {
    const absent = isSublError(error, 'gateway_unreachable') && error.details?.['absent'] === true;
    if (absent || isSublError(error, 'key_missing', 'home_missing')) {
      return found(
        'gateway',
        'warn',
        'no gateway is running',
        'run `sub up`; `sub run` and `sub shim` start it by themselves',
      );
    }
    return failedWith('gateway', error, `look into \`${home.gatewayLog}\``);
  }
}

/** The program that `sub up` starts. */
export function checkProgram(program: string): Check {
  if (existsSync(program)) return ok('program', program);
  return found(
    'program',
    'fail',
    `the gateway is not built (\`${program}\`)`,
    'run `npm run build` in the clone',
  );
}
