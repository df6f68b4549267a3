import { connect } from 'node:net';
import { SublError } from '@subluminal/core-types';

/** RFC 2606 keeps this ending free of names: nobody can list one, and none is ever found. */
const NEVER_LISTED = 'doctor.subluminal.invalid:443';
const TIMEOUT_MS = 5000;
const MAX_LINE = 1024;

/**
 * Asks the proxy on 127.0.0.1 for a tunnel to a name that no allowlist has, as a client of the run that owns
 * this token. Resolves to the status of the answer: 403 where such a name is refused.
 *
 * @throws SublError `failed` where nothing answers as a proxy does.
 */
export function tryProxy(port: number, token: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port });
    let text = '';
    const fail = (why: string): void => {
      socket.destroy();
      reject(new SublError('failed', `the proxy on 127.0.0.1:${port} ${why}`));
    };
    socket.setTimeout(TIMEOUT_MS, () => fail('does not answer'));
    socket.once('error', () => fail('cannot be reached'));
    socket.once('close', () => fail('closed the connection without an answer'));
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
      const [, status] = /^HTTP\/1\.1 ([0-9]{3}) /.exec(text) ?? [];
      if (status === undefined) {
        if (text.length > MAX_LINE) fail('does not answer as a proxy does');
        return;
      }
      resolve(Number(status));
      socket.destroy();
    });
    const login = Buffer.from(`run:${token}`).toString('base64');
    socket.write(
      `CONNECT ${NEVER_LISTED} HTTP/1.1\r\nHost: ${NEVER_LISTED}\r\nProxy-Authorization: Basic ${login}\r\n\r\n`,
    );
  });
}
