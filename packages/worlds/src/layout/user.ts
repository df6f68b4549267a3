import { userInfo } from 'node:os';
import type { WorldUser } from './generated.js';

/**
 * Users that no machine has, and none of its ranges: what a world is for the machine that root starts. Each
 * is another one, by the number of the process that holds its network: the kernel counts processes by user,
 * and one world must not use up what the others may start.
 */
const FIRST_PLAIN_UID = 2_000_000_000;
const USUAL_UID = 1000;

/** The user of a program in a world, inside and for the machine. */
export interface WorldIdentity {
  readonly user: WorldUser;
  /** The user that root becomes in the world of that holder; undefined for another user, who stays. */
  readonly plainUid: (holder: number) => number | undefined;
}

export function worldIdentity(): WorldIdentity {
  const { name, home, shell } = account();
  const uid = process.getuid?.() ?? 0;
  const gid = process.getgid?.() ?? 0;
  if (uid !== 0) return { user: { uid, gid, name, home, shell }, plainUid: () => undefined };
  const user = { uid: USUAL_UID, gid: USUAL_UID, name: 'agent', home, shell };
  return { user, plainUid: (holder) => FIRST_PLAIN_UID + holder };
}

/** Containers run as users that no account belongs to. */
function account(): { readonly name: string; readonly home: string; readonly shell: string } {
  try {
    const { username, homedir, shell } = userInfo();
    return { name: username, home: homedir, shell: shell ?? '/bin/sh' };
  } catch {
    return { name: 'user', home: '/home/user', shell: '/bin/sh' };
  }
}
