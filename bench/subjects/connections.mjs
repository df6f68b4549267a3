/**
 * A program that opens a connection and asks for a page each time it is told `go` on stdin, and prints the
 * milliseconds. `connections.mjs STATUS URL [PROXY]` connects to the host of the URL, or asks the proxy for
 * it; any other status ends it.
 */
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

const [status = '', target = '', through] = process.argv.slice(2);
const { hostname, port, host } = new URL(target);
const proxy = through === undefined ? undefined : new URL(through);
const place = { host: proxy?.hostname ?? hostname, port: Number((proxy?.port ?? port) || 80), noDelay: true };
const user = `${decodeURIComponent(proxy?.username ?? '')}:${decodeURIComponent(proxy?.password ?? '')}`;
const credential = `Proxy-Authorization: Basic ${Buffer.from(user).toString('base64')}\r\n`;
const head = `GET ${proxy === undefined ? '/' : target} HTTP/1.1\r\nHost: ${host}\r\n${proxy === undefined ? '' : credential}Connection: close\r\n\r\n`;

for await (const line of createInterface({ input: process.stdin })) {
  if (line !== 'go') break;
  const from = performance.now();
  const answer = await get();
  if (!answer.startsWith(`HTTP/1.1 ${status}`)) throw new Error(`no answer: ${answer.slice(0, 200)}`);
  process.stdout.write(`${performance.now() - from}\n`);
}

function get() {
  return new Promise((resolve, reject) => {
    const socket = connect(place, () => socket.write(head));
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk));
    socket.once('end', () => {
      socket.destroy();
      resolve(answer);
    });
    socket.once('error', reject);
  });
}
