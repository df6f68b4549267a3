import { userInfo } from 'node:os';
import type { WorldUser } from './generated.js';

/** A user that no machine has, and none of its ranges: what a world is for the machine that root starts. */
const PLAIN_UID = 2_000_000_000;
const USUAL_UID = 1000;

/** The user of a program in a world, inside and for the machine. */
export interface WorldIdentity {
  readonly user: WorldUser;
  /** The user that root becomes; undefined for another user, who stays who they are. */
  readonly plainUid: number | undefined;
}

export function worldIdentity(): WorldIdentity {
  const { uid, gid, username, homedir, shell } = userInfo();
  const common = { home: homedir, shell: shell ?? '/bin/sh' };
  if (uid !== 0) return { user: { ...common, uid, gid, name: username }, plainUid: undefined };
  return { user: { ...common, uid: USUAL_UID, gid: USUAL_UID, name: 'agent' }, plainUid: PLAIN_UID };
}
