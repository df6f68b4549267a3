import { userInfo } from 'node:os';
import { join } from 'node:path';

/** The home of this account that `sub` uses unless it is told of another one. */
export function defaultHome(): string {
  return join(userInfo().homedir, '.subluminal');
}
