import { type JsonObject, textAt } from '@subluminal/core-types';
import { type Check, found } from '../doctor/check.js';

/** Tells if worlds may be weaker than a full one; undefined if they may not. */
export function checkWorlds(status: JsonObject | undefined): Check | undefined {
  const least = status === undefined ? 'full' : textAt(status, 'worlds', 'require');
  if (least !== 'named' && least !== 'any') return undefined;
  return found(
    'worlds',
    'warn',
    `\`[world] require\` is \`${least}\`: a world that cannot be full is as weak as that`,
    '`sub world doctor` says which one this machine makes',
  );
}
