// A program of a run that is in no world, and has the key of its run: `rogue-run.mjs HOME WORLD` speaks of
// worlds by hand, WORLD being one of another run, and prints the outcome of each attempt as JSON.
import { connectGateway, findTicket, homePaths, processIdentity } from '@subluminal/ipc';

const [home = '', other = ''] = process.argv.slice(2);
const paths = homePaths(home);
const ticket = findTicket(paths)?.ticket;
if (ticket === undefined) throw new Error('there is no ticket');
const client = await connectGateway({
  socketPath: paths.socket,
  credential: ticket.credential,
  clock: Date.now,
});
/** @param {string} action @param {object} payload */
const ask = async (action, payload) => {
  const { data, error, status } = await client.request(action, payload);
  return { code: error?.code ?? status, data: /** @type {Record<string, any> | undefined} */ (data) };
};
/** @param {string} action @param {object} payload */
const codeOf = async (action, payload) => (await ask(action, payload)).code;
const lie = {
  programs: [{ path: '/bin/lie', by: '/bin/lie', count: 1 }],
  made: ['lie'],
  reached: 'memory',
};
/** @type {Record<string, unknown>} */
const said = {};
said['the end of a world of another run'] = await codeOf('world.close', { world_id: other, ...lie });
said['the end of a world that is not there'] = await codeOf('world.close', { world_id: 'w', ...lie });
/** @type {string[]} */
const opened = [];
const codes = [];
for (let at = 0; at < 36; at += 1) {
  const { code, data } = await ask('world.open', { folder: '/x', starter: processIdentity(process.pid) });
  codes.push(code);
  if (data !== undefined) opened.push(String(data['world_id']));
}
said['worlds'] = [codes.filter((code) => code === 'success').length, codes.at(-1)];
const [world_id = ''] = opened;
for (const [name, more] of /** @type {const} */ ([
  ['too many programs', { programs: Array.from({ length: 65 }, () => lie.programs[0]) }],
  ['a program that was started less than once', { programs: [{ ...lie.programs[0], count: -1 }] }],
  ['a name that is too long', { made: ['x'.repeat(5000)] }],
  ['another member', { network: 'full' }],
]))
  said[name] = await codeOf('world.close', { world_id, ...more });
said['its own world'] = await codeOf('world.close', {
  world_id,
  made: ['AKIAIOSFODNN7EXAMPLE', '\u001b[2J\nforged'],
});
said['its own world again'] = await codeOf('world.close', { world_id, ...lie });
said['a world with a reason of many lines'] = await codeOf('world.open', { folder: '/x', shortfall: 'a\nb' });
said['a name in a world'] = await codeOf('net.name', { world_id: opened[1] ?? '', host: 'a.test' });
for (const id of opened.slice(1)) await codeOf('world.close', { world_id: id });
client.close();
process.stdout.write(JSON.stringify(said));
