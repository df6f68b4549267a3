import type { WorldView } from '../view.js';

/** Where worlds are made: in namespaces of this machine, in a virtual machine, or nowhere yet. */
export const BACKENDS = ['linux-local', 'lima', 'docker', 'firecracker', 'wsl2'] as const;
export type BackendName = (typeof BACKENDS)[number];

/** How a command in a world ended. */
export interface CommandEnd {
  readonly exit: number;
  /** Undefined if it did not begin, or if another gateway has its record. */
  readonly worldId: string | undefined;
  readonly spanId: string | undefined;
}

/**
 * Makes worlds that go on between commands, whatever they are made of. A world is known by what it shows: the
 * same view leads to the same world. Everything that is decided and recorded is the gateway's, and no part of
 * this.
 */
export interface WorldBackend {
  readonly name: BackendName;
  /** Makes the world, unless it is up. Throws `not_available` with what to do if this machine cannot. */
  ensureSession(view: WorldView): Promise<void>;
  /**
   * Runs a command there with our own descriptors, and makes the world if there is none. Undefined if the
   * policy lets one command alone use a world, and another one does. Errors as before.
   */
  exec(view: WorldView, command: readonly [string, ...string[]]): Promise<CommandEnd | undefined>;
  /** Has the rules of the moment hold in a world that is up. Throws `not_available` if they are another's. */
  applyPolicy(view: WorldView): Promise<void>;
  /** Ends the world, and everything that runs there. Throws `not_found` if there is none. */
  close(view: WorldView): Promise<void>;
}

/** The backend of a platform, as Node names it; undefined for one that nobody has thought of. */
export function backendNameOf(platform: string): BackendName | undefined {
  if (platform === 'linux') return 'linux-local';
  if (platform === 'darwin') return 'lima';
  return platform === 'win32' ? 'wsl2' : undefined;
}
