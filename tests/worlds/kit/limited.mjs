// A program in a world with limits, beside no gateway: `limited.mjs HOME PROJECT LIMITS SCRIPT`. Prints how it
// ended, how its limits were held, and how long it took.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Duplex } from 'node:stream';
import { hearLimits, openWorld, worldView } from '@subluminal/worlds';

const [gatewayHome = '', cwd = '', limits = '{}', script = ''] = process.argv.slice(2);
const network = spawn('unshare', ['--user', '--map-root-user', '--net', 'cat'], { stdio: 'pipe' });
network.stdin.write('x');
await new Promise((resolve) => network.stdout.once('data', resolve));
const pid = network.pid ?? 0;
const start = /.*\) (.*)/su.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]?.split(' ')[19];
const { launch, limits: kept } = await openWorld(
  async () => ({
    world_id: 'w',
    holder: { pid, start: start ?? '' },
    settings: { limits: JSON.parse(limits) },
  }),
  {
    server: undefined,
    command: ['/bin/sh', '-c', script],
    door: undefined,
    env: { PATH: '/usr/bin:/bin' },
    view: worldView({ cwd, read: [], write: [], gatewayHome }),
    signals: [],
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
const heard = hearLimits(line, kept);
const code = await new Promise((resolve) => child.once('close', resolve));
const ms = Math.round(performance.now() - began);
await heard;
const { told, remark } = await kept.over();
network.kill('SIGKILL');
process.stdout.write(JSON.stringify({ code, stdout: text[0], stderr: text[1], told, remark, ms }));
