/**
 * Stands for a client with HTTP hooks: makes what it is told on stdin as one JSON text, turn by turn, and
 * prints the milliseconds of each. The gateway asks the system for the name under which this was started.
 */
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

const agent = new Agent({ keepAlive: true });
const { places, rounds, paceMs } = JSON.parse(await text(process.stdin));
const times = places.map(() => []);
for (let round = 0; round < rounds; round += 1) {
  for (const [at, { url, headers, bodies }] of places.entries()) {
    for (const body of bodies) {
      await pause(paceMs);
      times[at].push(await post(url, headers, body.replaceAll('ROUND', String(round))));
    }
  }
}
process.stdout.write(JSON.stringify(times));
agent.destroy();

function post(url, headers, body) {
  const from = performance.now();
  return new Promise((resolve, reject) => {
    const asked = request(url, { method: 'POST', headers, agent }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`${url} answers ${answer.statusCode}`));
      answer.resume().once('end', () => resolve(performance.now() - from));
    });
    asked.once('error', reject);
    asked.end(body);
  });
}
