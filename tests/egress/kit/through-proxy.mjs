// A program that heeds HTTPS_PROXY, as others do: asks for a page through it, by CONNECT, and gives its text
// or the refusal.
import { connect as connectTcp } from 'node:net';
import { readFileSync } from 'node:fs';
import { connect as connectTls } from 'node:tls';

/** @param {string} url @returns {Promise<string>} */
export function get(url) {
  const { hostname, port: given, pathname } = new URL(url);
  const port = given === '' ? '443' : given;
  const proxy = new URL(process.env.HTTPS_PROXY);
  const user = Buffer.from(`${proxy.username}:${proxy.password}`).toString('base64');
  return new Promise((resolve, reject) => {
    const socket = connectTcp(Number(proxy.port), proxy.hostname).once('error', reject);
    socket.write(
      `CONNECT ${hostname}:${port} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nProxy-Authorization: Basic ${user}\r\n\r\n`,
    );
    socket.once('data', (head) => {
      if (!head.toString().startsWith('HTTP/1.1 200')) {
        socket.destroy();
        resolve(head.toString().split('\r\n')[0]);
        return;
      }
      const ca = readFileSync(process.env.EXTRA_CA, 'utf8');
      const secure = connectTls({ socket, servername: hostname, ca }).once('error', reject);
      let text = '';
      secure.setEncoding('utf8').on('data', (piece) => (text += piece));
      secure.once('end', () => resolve(text.split('\r\n\r\n').at(-1)));
      secure.write(`GET ${pathname} HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\n\r\n`);
    });
  });
}
