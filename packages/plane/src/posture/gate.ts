import { type Modes, modeOf, type Role } from './modes.js';

/**
 * Whether a call waits until the present window has a checkpoint: a protected one of a worker, where the
 * operator has set the protected tier to `gate`. False is no permission: rules of the policy decide as ever.
 * `isProtected` is undefined where no policy was asked, and then nothing waits.
 */
export function waitsForCheckpoint(
  isProtected: boolean | undefined,
  hasCheckpoint: boolean,
  { modes, role }: { readonly modes: Modes; readonly role: Role },
): boolean {
  return isProtected === true && !hasCheckpoint && modeOf(modes, 'protected', role) === 'gate';
}
