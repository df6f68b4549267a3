// Asks over HTTP: one JSON request on stdin, one JSON answer on stdout, until stdin ends.
import { Agent, request } from 'node:http';
import { createInterface } from 'node:readline';

/** Every request by one connection. */
const one = new Agent({ keepAlive: true, maxSockets: 1 });

for await (const line of createInterface({ input: process.stdin })) {
  const { port, method, path, headers, body } = JSON.parse(line);
  const answer = await new Promise((resolve) => {
    const asked = request({ host: '127.0.0.1', port, method, path, headers, agent: one }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part) => (text += part));
      response.once('end', () => resolve({ status: response.statusCode, text }));
    });
    asked.once('error', (error) => resolve({ status: 0, text: String(error) }));
    asked.end(body);
  });
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
