import { holdsHere } from '@subluminal/worlds';
import { type Check, ok } from '../doctor/check.js';

/** How well the limits of a world hold on this machine. None of them is missing anywhere. */
export async function checkLimits(): Promise<Check> {
  const { exact, approximate } = await holdsHere();
  const least = approximate.includes('memory') ? '; no control group may be made for the others' : '';
  return ok('limits', `exact: ${exact.join(', ')}; approximate: ${approximate.join(', ')}${least}`);
}
