// Opens the socket of a page: its door and token on stdin, each frame on stdout, until it is closed.
import { createInterface } from 'node:readline';
import Wire from 'ws';

for await (const line of createInterface({ input: process.stdin })) {
  const { host, port, token } = JSON.parse(line);
  const place = `${host}:${port}`;
  const socket = new Wire(`ws://127.0.0.1:${port}/ui/ws`, {
    headers: { host: place, origin: `http://${place}` },
  });
  socket.on('open', () =>
    socket.send(JSON.stringify({ t: 'hello', token, filter: '', from: null, credit: 8 })),
  );
  socket.on('message', (frame) => {
    if (Buffer.isBuffer(frame)) process.stdout.write(`${frame.toString('utf8')}\n`);
  });
  socket.on('error', () => undefined);
  socket.on('close', () => process.exit(0));
}
