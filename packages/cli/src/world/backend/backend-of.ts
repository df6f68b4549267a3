import { join } from 'node:path';
import { SublError } from '@subluminal/core-types';
import { absentBackend, backendNameOf, LimaBackend, type WorldBackend } from '@subluminal/worlds';
import { runProgram } from '../../audit/anchor/program.js';
import type { Call } from '../../program/call.js';
import { VERSION } from '../../program/version.js';
import { runChild } from '../../run/child.js';
import type { WorldFlags } from '../../run/command/flags.js';
import { exitCodeOfChild } from '../../run/outcome.js';
import { LinuxLocal } from './linux-local.js';

/** A machine is downloaded and installed on its first start. */
const MACHINE_MS = 1_800_000;

/** The backend of this platform. Throws `not_available` for one that has none. */
export function backendOf(call: Call<WorldFlags>): WorldBackend {
  const name = backendNameOf(process.platform);
  if (name === 'linux-local') return new LinuxLocal(call);
  if (name === 'lima') return limaOf(call);
  if (name !== undefined) return absentBackend(name);
  throw new SublError('not_available', `there are no worlds on \`${process.platform}\``, {
    help: 'run `sub` in a Linux machine or container',
  });
}

function limaOf({ flags, home, session }: Call<WorldFlags>): LimaBackend {
  if (flags.pass.length > 0)
    throw new SublError('usage', '`--pass` does not reach a virtual machine', {
      help: 'leave it out: a variable would stand on a command line, which others read',
    });
  const { environment, cwd } = session;
  const limactl = 'limactl';
  return new LimaBackend({
    limactl: {
      heard: async (args) => {
        const end = await runProgram({
          command: limactl,
          args,
          cwd,
          env: environment.all,
          input: '',
          timeoutMs: MACHINE_MS,
        });
        return { code: end.code, stdout: end.stdout.toString('utf8'), stderr: end.stderr };
      },
      shown: async (args) =>
        exitCodeOfChild(
          await runChild({ command: limactl, args, env: environment.all, onTerminal: process.stdin.isTTY }),
        ),
    },
    folder: join(home.worldsDir, 'lima'),
    version: VERSION,
  });
}
