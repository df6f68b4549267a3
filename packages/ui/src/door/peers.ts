import type { Socket } from 'node:net';
import type { ProcessIdentity } from '@subluminal/core-types';
import { UiRefusal } from './refusal.js';

/** How far a connection is trusted: `read` where no process of this user can be told at its other end. */
export type Access = 'full' | 'read';

export interface PeerParts {
  /** The process at the other end, where it is this user's; undefined where it cannot be told. */
  readonly processOf: (peerPort: number, ownPort: number) => Promise<ProcessIdentity | undefined>;
  /** The user at the other end; undefined where the system does not say. */
  readonly ownerOf: (peerPort: number, ownPort: number) => number | undefined;
  /** The run that a process is inside of. */
  readonly runAround: (process: ProcessIdentity) => Promise<string | undefined>;
  /** This user; undefined on systems that do not tell whose a connection is. */
  readonly uid: number | undefined;
}

/**
 * Asks the system who is at the other end of each connection, once, and each time whether a run is around it.
 * A program of a run is turned away whatever it shows, and so is another user. The holder may be hidden (a
 * login service that forwards a port, but also an agent that hides itself): then nothing is changed.
 */
export class Peers {
  readonly #parts: PeerParts;
  readonly #known = new WeakMap<Socket, Promise<ProcessIdentity | 'hidden'>>();

  constructor(parts: PeerParts) {
    this.#parts = parts;
  }

  /** @throws UiRefusal `inside_run`, `other_user`, `unknown_process`. */
  async accessOf(socket: Socket, port: number): Promise<Access> {
    const { runAround, uid } = this.#parts;
    // Elsewhere the token alone is asked for.
    if (uid === undefined) return 'full';
    const found = await this.#peerOf(socket, port);
    if (found === 'hidden') return 'read';
    if ((await runAround(found)) !== undefined)
      throw new UiRefusal(
        403,
        'inside_run',
        'the page is refused inside a run',
        'only the operator can look, outside of the run',
      );
    return 'full';
  }

  #peerOf(socket: Socket, port: number): Promise<ProcessIdentity | 'hidden'> {
    const known = this.#known.get(socket);
    if (known !== undefined) return known;
    const looked = this.#look(socket, port);
    this.#known.set(socket, looked);
    // A failure of the system is no answer; a refusal is one, and stays.
    looked.catch((error: unknown) => {
      if (!(error instanceof UiRefusal)) this.#known.delete(socket);
    });
    return looked;
  }

  async #look({ remotePort }: Socket, port: number): Promise<ProcessIdentity | 'hidden'> {
    const { ownerOf, processOf, uid } = this.#parts;
    if (remotePort === undefined) throw unknown();
    const found = await processOf(remotePort, port);
    if (found !== undefined) return found;
    const owner = ownerOf(remotePort, port);
    if (owner === undefined) throw unknown();
    if (owner !== uid)
      throw new UiRefusal(403, 'other_user', 'the page is for the user whose gateway this is');
    return 'hidden';
  }
}

function unknown(): UiRefusal {
  return new UiRefusal(403, 'unknown_process', 'which process asks cannot be told');
}
