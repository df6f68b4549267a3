import { SublError } from '@subluminal/core-types';
import type { BackendName, WorldBackend } from './backend.js';

type AbsentName = Exclude<BackendName, 'linux-local' | 'lima'>;

/** Of each, the part that is missing, and an advice. */
const ABSENT: Readonly<Record<AbsentName, { readonly missing: string; readonly help: string }>> = {
  docker: {
    missing: 'no image is built, and a container of Docker has no gateway at the end of its network',
    help: 'run `sub` inside of the container: `sub config set world.require named` has worlds there',
  },
  firecracker: {
    missing: 'there is no kernel, no root file system and no road from a microVM to the gateway',
    help: 'worlds of this machine need no virtual machine: `sub world doctor`',
  },
  wsl2: {
    missing: 'nothing on Windows starts a distribution, or brings a command to it',
    help: 'install `sub` in a WSL2 distribution, and run it there: to a world that is Linux',
  },
};

/** A backend that answers `not_available` to everything, with what is missing and what to do. */
export function absentBackend(name: AbsentName): WorldBackend {
  const { missing, help } = ABSENT[name];
  const refuse = (): Promise<never> =>
    Promise.reject(
      new SublError('not_available', `worlds of \`${name}\` are not made yet: ${missing}`, { help }),
    );
  return { name, ensureSession: refuse, exec: refuse, applyPolicy: refuse, close: refuse };
}
