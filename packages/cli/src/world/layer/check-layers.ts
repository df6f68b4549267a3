import type { HomePaths } from '@subluminal/ipc';
import { type Check, failedWith, found } from '../../doctor/check.js';
import { counted } from '../../output/counted.js';
import { byteCount } from '../../output/time.js';
import { layersHeld, sizeText } from './budget.js';

const WARN_SHARE = 0.8;
const HELP = '`sub world status` lists them: take them over, or throw them away';

/** Tells of layers that are old, or that take nearly all of their room; undefined if none does. */
export function checkLayers(home: HomePaths, now: number): Check | undefined {
  try {
    const { size, budget, old, days } = layersHeld(home, now);
    if (budget !== undefined && size.bytes > budget * WARN_SHARE)
      return found('layers', 'warn', `layers take ${sizeText(size)} of ${byteCount(budget)}`, HELP);
    if (old.length === 0) return undefined;
    const what = `${counted(old.length, 'layer')} with changes older than ${counted(days, 'day')}`;
    return found('layers', 'warn', what, HELP);
  } catch (error) {
    return failedWith('layers', error, 'look at the permissions of `layers/` in the home');
  }
}
