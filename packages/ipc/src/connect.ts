import { connect, type Socket } from 'node:net';
import { SublError } from '@subluminal/core-types';
import { assertSocketPath, hasCode } from './home/check.js';

export type { Socket } from 'node:net';

/**
 * Opens a connection to a unix socket or named pipe, and to nothing else: the only use of the network module
 * outside the gateway. `path_too_long`; `gateway_unreachable` when nobody listens or the time is up, with
 * `details.absent` true when there is no listener at all, so that starting one makes sense.
 */
export function dial(path: string, timeoutMs: number): Promise<Socket> {
  assertSocketPath(path);
  return new Promise((resolve, reject) => {
    const socket = connect({ path });
    const timer = setTimeout(() => {
      socket.destroy();
      reject(unreachable(path, 'does not accept connections', false));
    }, timeoutMs);
    const onError = (error: Error): void => {
      clearTimeout(timer);
      const absent = hasCode(error, 'ENOENT', 'ECONNREFUSED', 'ENOTDIR');
      reject(unreachable(path, absent ? 'has no gateway behind it' : 'cannot be opened', absent, error));
    };
    socket.once('error', onError);
    socket.once('connect', () => {
      clearTimeout(timer);
      socket.off('error', onError);
      resolve(socket);
    });
  });
}

function unreachable(path: string, what: string, absent: boolean, cause?: Error): SublError {
  return new SublError('gateway_unreachable', `the socket \`${path}\` ${what}`, {
    help: 'run `sub up` to start the gateway, or `sub doctor` for what is wrong',
    details: { absent },
    ...(cause === undefined ? {} : { cause }),
  });
}
