// Asks over HTTP: one JSON request on stdin, one JSON answer on stdout, until stdin ends.
import { request } from 'node:http';
import { createInterface } from 'node:readline';

for await (const line of createInterface({ input: process.stdin })) {
  const { port, method, path, headers, body } = JSON.parse(line);
  const answer = await new Promise((resolve) => {
    const asked = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part) => (text += part));
      response.once('end', () => resolve({ status: response.statusCode, text }));
    });
    asked.once('error', (error) => resolve({ status: 0, text: String(error) }));
    asked.end(body);
  });
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
