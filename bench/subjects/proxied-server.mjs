/**
 * The server that the proxy's bench reaches: `GET /BYTES` answers with so many bytes, over TLS and without; a
 * port that echoes.
 */
import { readFileSync } from 'node:fs';
import { createServer as createTcp } from 'node:net';
import { createServer as createTls } from 'node:tls';

const [key, cert] = process.argv.slice(2);
const block = Buffer.alloc(1_048_576, 'x');

function serve(socket) {
  socket.on('error', () => socket.destroy());
  let head = '';
  socket.on('data', (chunk) => {
    head += chunk;
    if (!head.includes('\r\n\r\n')) return;
    let left = Number(/^GET (?:http:\/\/[^/]*)?\/([0-9]+) /.exec(head)?.[1] ?? 0);
    head = '';
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${left}\r\nConnection: close\r\n\r\n`);
    const more = () => {
      while (left > 0) {
        const piece = left < block.length ? block.subarray(0, left) : block;
        left -= piece.length;
        if (!socket.write(piece)) break;
      }
      if (left > 0) socket.once('drain', more);
      else socket.end();
    };
    more();
  });
}

const echo = (socket) => socket.on('error', () => socket.destroy()).pipe(socket);
const servers = [
  createTls({ key: readFileSync(key), cert: readFileSync(cert) }, serve),
  createTcp({ noDelay: true }, serve),
  createTcp({ noDelay: true }, echo),
];
const ports = await Promise.all(
  servers.map(
    (server) =>
      new Promise((resolve) => server.listen(0, '127.0.0.1', 4096, () => resolve(server.address().port))),
  ),
);
process.stdout.write(`${JSON.stringify(ports)}\n`);
