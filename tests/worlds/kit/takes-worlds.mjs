// A program of a run that wants worlds which are not its own: `takes-worlds.mjs HOME OTHER PID START` asks
// for OTHER, a world of another run that the gateway before had, and then for one of its own with the
// network of PID, which is in OTHER. It prints `ready` once it has its own one, waits for a line (the gateway
// is another one then), and prints the outcome of each attempt as JSON.
import { once } from 'node:events';
import { connectGateway, findTicket, homePaths, processIdentity } from '@subluminal/ipc';

const [home = '', other = '', pid = '', start = ''] = process.argv.slice(2);
const paths = homePaths(home);
const ticket = findTicket(paths)?.ticket;
if (ticket === undefined) throw new Error('there is no ticket');
const reach = () =>
  connectGateway({ socketPath: paths.socket, credential: ticket.credential, clock: Date.now });
const before = await reach();
const starter = processIdentity(process.pid);
const { data } = await before.request('world.open', { folder: '/x', starter });
const own = /** @type {{ world_id: string }} */ (data).world_id;
process.stdout.write('ready\n');
await once(process.stdin, 'data');
const client = await reach();
/** @param {string} world_id @param {{ pid: number, start: string } | undefined} inside */
const ask = async (world_id, inside) => {
  const { error, status } = await client.request('world.resume', { world_id, inside });
  return error === undefined ? status : `${error.code}: ${error.message}`;
};
const victim = { pid: Number(pid), start };
const said = {
  'a world of another run': await ask(other, victim),
  'a world that nobody had': await ask('w', victim),
  'its own one, with the network of another': await ask(own, victim),
  'its own one, with the network of the machine': await ask(own, starter),
  'its own one, with a process that is gone': await ask(own, { pid: victim.pid, start: '1' }),
};
client.close();
process.stdout.write(JSON.stringify(said));
process.exit(0);
