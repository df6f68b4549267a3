import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { SublError } from '@subluminal/core-types';
import { CLIENTS } from '../all.js';
import type { Hands } from '../file/change.js';
import type { Client, Where } from '../client.js';
import { thisMachine } from '../place/machine.js';
import type { Call } from '../../program/call.js';

/** The operand of `sub import` and `sub restore`. */
export const CLIENT_NAMES = [...CLIENTS.map(({ name }) => name), 'all'].join('|');

/** The client that the first operand names, or all of them. Throws `usage`. */
export function namedClients(call: Call): readonly Client[] {
  const [named] = call.args;
  if (named === 'all') return CLIENTS;
  const client = CLIENTS.find(({ name }) => name === named);
  if (client !== undefined) return [client];
  const what = named === undefined ? 'which client?' : `\`${named}\` is no client that is known`;
  throw new SublError('usage', what, {
    help: `one of ${CLIENT_NAMES.split('|')
      .map((name) => `\`${name}\``)
      .join(', ')}`,
  });
}

/** This machine, with the project that is named, else the working folder. Throws `usage`. */
export function machineOf(call: Call, named?: string): Where {
  const { cwd, environment } = call.session;
  const project = resolve(cwd, named ?? '.');
  if (named === '' || statSync(project, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new SublError('usage', `\`${named ?? project}\` is no folder`, {
      help: '`--project` takes the folder of a project',
    });
  }
  return thisMachine(environment.all, project);
}

/** The parts of this process that changing files needs. */
export function handsOf(call: Call): Hands {
  return {
    now: call.session.now,
    pid: process.pid,
    pause: (ms) =>
      new Promise((done) => {
        setTimeout(done, ms);
      }),
  };
}
