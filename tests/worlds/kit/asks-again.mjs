// A program in an agent's world that asks the gateway again and again: `asks-again.mjs HOME PORT FILE` writes
// into FILE, line by line, what became of a request by the socket of its door, and of one by HTTP, to PORT.
import { appendFileSync } from 'node:fs';
import { byWorldDoor, connectGateway, homePaths, readWorldTicket } from '@subluminal/ipc';

const [home = '', port = '', file = ''] = process.argv.slice(2);
const ticket = readWorldTicket();
if (ticket === undefined) throw new Error('there is no ticket');
const { socket: socketPath } = byWorldDoor(homePaths(home));
const { credential } = ticket;
const bySocket = async () => {
  try {
    const client = await connectGateway({ socketPath, credential, clock: Date.now });
    const { status } = await client.request('run.read', {});
    client.close();
    return status;
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : String(error);
  }
};
const byHttp = async () => {
  try {
    const headers = { authorization: `Bearer ${process.env['SUB_HTTP_TOKEN']}` };
    const body = JSON.stringify({ hook_event_name: 'SessionEnd', session_id: 's' });
    const url = `http://127.0.0.1:${port}/hook/claude`;
    return (await fetch(url, { method: 'POST', headers, body })).status;
  } catch {
    return 'none';
  }
};
for (;;) {
  appendFileSync(file, `${await bySocket()} ${await byHttp()}\n`);
  await new Promise((resolve) => setTimeout(resolve, 100));
}
