// A program in a world with limits that no policy sets: `limited.mjs HOME PROJECT LIMITS SCRIPT`. The gateway
// is that of HOME. Prints how it ended, how its limits held and how long it ran.
import { spawn } from 'node:child_process';
import { Duplex } from 'node:stream';
import { connectGateway, homePaths, processIdentity, readCredential } from '@subluminal/ipc';
import { hearWorld, openWorld, worldView } from '@subluminal/worlds';

const [home = '', cwd = '', limits = '{}', script = ''] = process.argv.slice(2);
const { operatorKey, socket } = homePaths(home);
/** @param {import('@subluminal/core-types').Credential} credential */
const connect = (credential) => connectGateway({ socketPath: socket, credential, clock: Date.now });
/** @param {Promise<import('@subluminal/core-types').ActionResponse>} answering */
async function dataOf(answering) {
  const answer = await answering;
  if (answer.status !== 'success') throw new Error(JSON.stringify(answer.error));
  return /** @type {import('@subluminal/core-types').JsonObject} */ (answer.data);
}

const operator = await connect(readCredential(operatorKey));
const holder = processIdentity(process.pid);
const run = await dataOf(
  operator.request('run.begin', { agent_id: 'limited', client: 'custom', env: 'dev', holder }),
);
operator.close();
const client = await connect(/** @type {import('@subluminal/core-types').Credential} */ (run['credential']));
const {
  id,
  launch,
  testimony: kept,
} = await openWorld(
  async (action, payload) => ({
    ...(await dataOf(client.request(action, payload))),
    settings: { limits: JSON.parse(limits) },
  }),
  {
    server: undefined,
    starter: holder,
    command: ['/bin/sh', '-c', script],
    door: undefined,
    env: { PATH: '/usr/bin:/bin' },
    layer: undefined,
    view: worldView({ cwd, read: [], write: [], writesThrough: true, gatewayHome: home }),
    signals: [],
    now: Date.now(),
  },
);
const began = performance.now();
const child = spawn(launch.command, [...launch.args], {
  stdio: ['ignore', 'pipe', 'pipe', ...launch.files, 'pipe'],
  env: launch.env,
});
launch.release();
const text = ['', ''];
child.stdio.slice(1, 3).forEach((pipe, at) => pipe?.on('data', (chunk) => (text[at] += String(chunk))));
const line = child.stdio.at(-1);
if (!(line instanceof Duplex)) throw new Error('the world has no line');
const heard = hearWorld(line, kept, child.pid ?? 0);
const code = await new Promise((resolve) => child.once('close', resolve));
const ms = Math.round(performance.now() - began);
await heard;
const {
  told,
  remarks: [remark],
} = await kept.over();
await dataOf(client.request('world.close', { world_id: id, ...told }));
client.close();
process.stdout.write(JSON.stringify({ code, stdout: text[0], stderr: text[1], told, remark, ms }));
