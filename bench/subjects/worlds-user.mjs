/**
 * Measures worlds as the user that this runs as, beside the alternatives, in turns. Takes what it shall do as
 * one JSON text on the command line, and prints the samples as another.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { proxyRunToken } from '@subluminal/core-types';
import { connectGateway, homePaths, processIdentity, readCredential } from '@subluminal/ipc';
import { openWorld, worldView } from '@subluminal/worlds';
import { openSandbox } from '../peers/sandbox.mjs';
import { openSession } from '../stdio-client.mjs';

const file = (path) => fileURLToPath(new URL(path, import.meta.url));
const { root, port, rounds, connections, calls, worlds, hasPeer } = JSON.parse(process.argv[2] ?? '{}');
const NAME = 'bench.test';
const SUB = file('../../packages/cli/bin/sub.mjs');
const SERVE = file('../../tests/worlds/kit/serve.mjs');
const HERE = dirname(fileURLToPath(import.meta.url));
const PATH = '/usr/local/bin:/usr/bin:/bin';
const clock = () => Date.now();

const project = join(root, 'project');
const QUIET = ['ignore', 'ignore', 'inherit'];

/** Gateways with a name that is this machine, each in a home of its own. */
async function openGateway(name) {
  const home = join(root, name);
  const child = spawn(process.execPath, [SERVE, home, JSON.stringify({ [NAME]: [{ port }] })], {
    stdio: ['pipe', 'pipe', 'inherit'],
    cwd: file('../..'),
    env: { PATH, SUB_HOME: home },
  });
  await once(child.stdout, 'data');
  return {
    home,
    pid: child.pid,
    stop: async () => {
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}

/** Not of this process: commands below that would be of the run. */
async function openRun(home) {
  const holder = spawn('/bin/sleep', ['1000'], { stdio: 'ignore' });
  const paths = homePaths(home);
  const connect = (credential) => connectGateway({ socketPath: paths.socket, credential, clock });
  const operator = await connect(readCredential(paths.operatorKey));
  const opened = await must(
    operator.request('run.begin', {
      agent_id: 'bench',
      client: 'custom',
      env: 'dev',
      holder: processIdentity(holder.pid),
    }),
  );
  operator.close();
  const { credential, proxy } = opened.data;
  const client = await connect(credential);
  return {
    home,
    proxy: `http://run:${encodeURIComponent(proxyRunToken(credential))}@127.0.0.1:${proxy?.port}`,
    ask: async (action, payload) => (await must(client.request(action, payload))).data,
    close: () => {
      client.close();
      holder.kill();
    },
  };
}

/** Starts a program in a world, as `sub world exec` does it. */
async function inWorld({ home, ask }, command, stdio) {
  const { id, launch, testimony } = await openWorld(ask, {
    server: undefined,
    starter: processIdentity(process.pid),
    agent: undefined,
    sandboxOff: undefined,
    envOutside: process.env,
    command,
    door: undefined,
    env: { PATH },
    layer: undefined,
    view: worldView({ cwd: project, read: [HERE], write: [], writesThrough: true, gatewayHome: home }),
    signals: [],
  });
  const child = spawn(launch.command, [...launch.args], {
    stdio: [...stdio, ...launch.files, 'pipe'],
    env: launch.env,
  });
  launch.release();
  for (const pipe of child.stdio.slice(3)) pipe?.on('error', () => undefined);
  return {
    child,
    close: async () => {
      const { told } = await testimony.over();
      await ask('world.close', { world_id: id, ...told });
    },
  };
}

async function timed(work) {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

async function ended(child) {
  const [code, signal] = await once(child, 'exit');
  if (code !== 0) throw new Error(`it ended with ${code ?? signal}`);
}

const shell = (words) => spawn(words, { shell: true, stdio: QUIET });

/** The first program of a gateway that has just begun, and of a peer that has. */
async function cold() {
  const samples = { world: [], peer: [] };
  for (let at = 0; at < rounds; at += 1) {
    const fresh = await openGateway(`cold-${at}`);
    const own = await openRun(fresh.home);
    let world;
    samples.world.push(
      await timed(async () => {
        world = await inWorld(own, ['/usr/bin/true'], QUIET);
        await ended(world.child);
      }),
    );
    await world.close();
    own.close();
    await fresh.stop();
    if (!hasPeer) continue;
    const sandbox = await openSandbox(project);
    samples.peer.push(
      await timed(async () => {
        await sandbox.start();
        await ended(shell(await sandbox.command('true')));
      }),
    );
    await sandbox.close();
  }
  return samples;
}

/** One program after the other, with what they need ready; and whole commands. */
async function starts() {
  const bare = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--unshare-all', '/usr/bin/true'];
  const sub = (...words) =>
    spawn(process.execPath, [SUB, ...words, '--home', gateway.home, '--', 'true'], {
      stdio: 'ignore',
      env: { PATH, HOME: root },
    });
  const ways = {
    world: async () => {
      const { child, close } = await inWorld(run, ['/usr/bin/true'], QUIET);
      await ended(child);
      // Not of what the program waits for.
      closing = close;
    },
    peer: async () => ended(shell(await peer.command('true'))),
    bare: () => ended(spawn('/usr/bin/bwrap', bare, { stdio: QUIET })),
    'sub world exec': () => ended(sub('world', 'exec')),
    'sub run --world': () => ended(sub('run', '--world')),
    'sub run': () => ended(sub('run')),
  };
  let closing;
  if (peer === undefined) delete ways.peer;
  const samples = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
  for (let at = 0; at < 3 * rounds + 1; at += 1) {
    for (const [name, way] of Object.entries(ways)) {
      const took = await timed(way);
      if (at > 0) samples[name].push(took);
      await closing?.();
      closing = undefined;
      // The next network is made meanwhile.
      await new Promise((resolve) => setTimeout(resolve, 400));
    }
  }
  await ended(
    spawn(process.execPath, [SUB, 'world', 'close', '--home', gateway.home], {
      stdio: 'ignore',
      env: { PATH, HOME: root },
    }),
  );
  return samples;
}

/** Connections of programs that wait for their turn. */
async function connected() {
  const program = join(HERE, 'connections.mjs');
  const target = `http://${NAME}:${port}/`;
  const local = `http://localhost:${port}/`;
  const stdio = ['pipe', 'pipe', 'inherit'];
  const world = await inWorld(run, [process.execPath, program, '200', target], stdio);
  const refused = await inWorld(run, [process.execPath, program, '403', 'http://192.0.2.1/'], stdio);
  const outside = (...words) => spawn(process.execPath, [program, '200', ...words], { stdio });
  const programs = {
    direct: outside(`http://127.0.0.1:${port}/`),
    proxy: outside(target, run.proxy),
    world: world.child,
    refused: refused.child,
  };
  if (peer !== undefined) {
    const words = await peer.command(`'${process.execPath}' '${program}' 200 ${local} "$HTTP_PROXY"`);
    programs.peer = spawn(words, { shell: true, stdio });
  }
  const lines = Object.entries(programs).map(([name, child]) => {
    const all = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    return { name, child, all };
  });
  const samples = Object.fromEntries(Object.keys(programs).map((name) => [name, []]));
  for (let at = 0; at < connections + 30; at += 1) {
    for (const { name, child, all } of lines) {
      child.stdin.write('go\n');
      const { value, done } = await all.next();
      if (done) throw new Error(`${name} has ended`);
      if (at >= 30) samples[name].push(Number(value));
    }
  }
  for (const child of Object.values(programs)) child.stdin.end();
  await Promise.all(Object.values(programs).map((child) => once(child, 'exit')));
  await world.close();
  await refused.close();
  return samples;
}

/** Calls of two clients in turns: the milliseconds of one, and the processor of all that takes part. */
async function called() {
  const server = [process.execPath, join(HERE, 'echo-server.mjs')];
  const shim = (...words) =>
    openSession(
      [SUB, 'shim', 'stdio', '--home', gateway.home, '--server', 'echo', ...words, '--', ...server],
      {
        env: { PATH, HOME: root },
        cwd: project,
      },
    );
  const sessions = { outside: await shim(), world: await shim('--world', '--read', HERE) };
  const samples = Object.fromEntries(Object.keys(sessions).map((name) => [name, { p50: [], cpu: [] }]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, session] of Object.entries(sessions)) {
      const before = processorOf([gateway.pid, ...below(session.pid)]);
      const times = [];
      for (let n = 0; n < calls; n += 1) times.push(await timed(() => session.call(n)));
      const cpu = (processorOf([gateway.pid, ...below(session.pid)]) - before) / calls;
      // The first round compiles.
      if (round === 0) continue;
      samples[name].p50.push(times.toSorted((a, b) => a - b)[Math.floor(calls / 2)]);
      samples[name].cpu.push(cpu);
    }
  }
  for (const session of Object.values(sessions)) await session.close();
  return samples;
}

/** Many worlds at once: how long they take to be there, and what they keep of the machine. */
async function many() {
  const runs = [run, await openRun(gateway.home)];
  await pause();
  const before = machine();
  const open = [];
  const from = performance.now();
  for (let at = 0; at < worlds; at += 4) {
    const some = Array.from({ length: Math.min(4, worlds - at) }, async (_, one) => {
      const world = await inWorld(
        runs[(at + one) % 2],
        ['/bin/sh', '-c', 'echo ready; read line'],
        ['pipe', 'pipe', 'inherit'],
      );
      await once(world.child.stdout, 'data');
      return world;
    });
    open.push(...(await Promise.all(some)));
  }
  const ms = performance.now() - from;
  await pause();
  const within = machine();
  await Promise.all(
    open.map(async ({ child, close }) => {
      child.stdin.end();
      await once(child, 'exit');
      await close();
    }),
  );
  await pause();
  const after = machine();
  runs[1].close();
  return { worlds, ms, before, within, after };
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 1500));

function machine() {
  const kilobytes = (path, name) =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(readFileSync(path, 'utf8'))?.[1]);
  return {
    availableMb: kilobytes('/proc/meminfo', 'MemAvailable') / 1024,
    gatewayMb: kilobytes(`/proc/${gateway.pid}/status`, 'VmRSS') / 1024,
    files: readdirSync(`/proc/${gateway.pid}/fd`).length,
  };
}

/** A process and all below it. */
function below(pid) {
  const found = [pid];
  for (const one of found) {
    for (const task of readdirSync(`/proc/${one}/task`))
      found.push(
        ...readFileSync(`/proc/${one}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
      );
  }
  return found;
}

/** Milliseconds of processor that processes have had. */
function processorOf(pids) {
  const ofThreads = (pid) =>
    readdirSync(`/proc/${pid}/task`).map((task) =>
      Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]),
    );
  return pids.flatMap(ofThreads).reduce((sum, ns) => sum + ns, 0) / 1_000_000;
}

async function must(answering) {
  const answer = await answering;
  if (answer.status !== 'success') throw new Error(JSON.stringify(answer.error));
  return answer;
}

mkdirSync(project);
process.chdir(project);
const result = {};
result.cold = await cold();
const gateway = await openGateway('home');
const run = await openRun(gateway.home);
const peer = hasPeer ? await openSandbox(project) : undefined;
await peer?.start();
try {
  result.starts = await starts();
  result.connections = await connected();
  result.calls = await called();
  result.many = await many();
} finally {
  await peer?.close();
  run.close();
  await gateway.stop();
}
process.stdout.write(JSON.stringify(result));
process.exit(0);
