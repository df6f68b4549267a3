// A program in an agent's world that asks the gateway again and again: `asks-again.mjs HOME PORT FILE` writes
// into FILE, line by line, what became of a request by the socket of its door, and of one by HTTP, to PORT.
import { appendFileSync } from 'node:fs';
import { request } from 'node:http';
import { byWorldDoor, connectGateway, homePaths, readWorldTicket } from '@subluminal/ipc';

const [home = '', port = '', file = ''] = process.argv.slice(2);
const ticket = readWorldTicket();
if (ticket === undefined) throw new Error('there is no ticket');
const { socket: socketPath } = byWorldDoor(homePaths(home));
const { credential } = ticket;
/** @returns {Promise<string>} */
const bySocket = async () => {
  try {
    const client = await connectGateway({ socketPath, credential, clock: Date.now });
    const { status } = await client.request('run.read', {});
    client.close();
    return status;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
};
/** @returns {Promise<number | string | undefined>} */
const byHttp = () =>
  new Promise((resolve) => {
    const headers = { authorization: `Bearer ${process.env['SUB_HTTP_TOKEN']}` };
    const asked = request(`http://127.0.0.1:${port}/hook/claude`, { method: 'POST', headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    asked.on('error', () => resolve('none'));
    asked.end(JSON.stringify({ hook_event_name: 'SessionEnd', session_id: 's' }));
  });
for (;;) {
  appendFileSync(file, `${await bySocket()} ${String(await byHttp())}\n`);
  await new Promise((resolve) => setTimeout(resolve, 100));
}
