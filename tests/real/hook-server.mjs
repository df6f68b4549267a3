// A server for the hooks of a client, which answers a command `touch NAME` in the broken way that NAME says.
// On stdout it prints its port.
import { createServer } from 'node:http';
import { ANSWERS } from './hook-answers.mjs';

createServer((request, response) => {
  let text = '';
  request.setEncoding('utf8').on('data', (part) => (text += part));
  request.on('end', () => {
    const name = JSON.parse(text).tool_input?.command?.split(' ').at(-1) ?? '';
    const [status, body] = ANSWERS[name] ?? [200, '{}'];
    if (status === 0) return;
    if (status === -1) return void request.socket.destroy();
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
}).listen(0, '127.0.0.1', function listening() {
  process.stdout.write(`${this.address().port}\n`);
});
