import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openWorld, type WorldRequest } from './open.js';
import { worldView } from './view.js';

const absent =
  !existsSync('/usr/bin/bwrap') ||
  spawnSync('unshare', ['--user', '--map-root-user', '--net', 'true']).status !== 0;

let root: string;
let project: string;
beforeAll(() => {
  root = mkdtempSync('/var/tmp/sub-w-');
  project = join(root, 'project');
  mkdirSync(project);
  mkdirSync(join(root, 'home'));
});
afterAll(() => rmSync(root, { recursive: true }));

function identityOf(pid: number): { pid: number; start: string } | undefined {
  const start = /.*\) (.*)/su.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]?.split(' ')[19];
  return start === undefined ? undefined : { pid, start };
}

/** Starts `echo RAN` where the gateway has said that the world's network is that process's. */
const started = async (
  holder: { pid: number; start: string },
  write: readonly string[] = [],
  meanwhile: () => void = () => undefined,
): Promise<string> => {
  const request: WorldRequest = {
    server: undefined,
    starter: undefined,
    command: ['/bin/echo', 'RAN'],
    env: { PATH: '/usr/bin:/bin' },
    envOutside: {},
    door: undefined,
    layer: undefined,
    view: worldView({ cwd: project, read: [], write, writesThrough: true, gatewayHome: join(root, 'home') }),
    agent: undefined,
    sandboxOff: undefined,
    signals: [],
    now: Date.now(),
  };
  const { launch } = await openWorld(async () => {
    meanwhile();
    return { world_id: 'w', network: 'full', holder };
  }, request);
  const end = spawnSync(launch.command, launch.args, {
    stdio: ['ignore', 'pipe', 'pipe', ...(launch.files ?? []), 'pipe'],
    env: launch.env,
    encoding: 'utf8',
  });
  launch.release();
  return end.stdout + end.stderr;
};
/** Another network, and the process that has it. */
const network = async (): Promise<{ identity: { pid: number; start: string }; end: () => void }> => {
  const child = spawn('unshare', ['--user', '--map-root-user', '--net', 'cat'], { stdio: 'pipe' });
  child.stdin.write('x');
  await new Promise((resolve) => child.stdout.once('data', resolve));
  const identity = identityOf(child.pid ?? 0);
  if (identity === undefined) throw new Error('there is no network');
  return { identity, end: () => child.kill('SIGKILL') };
};
const holder = (): { pid: number; start: string } => {
  const found = identityOf(process.pid);
  if (found === undefined) throw new Error('this process is nobody');
  return found;
};

test.skipIf(absent)('a world does not run in the network of the machine', async () => {
  expect(await started(holder())).toBe('the world is not apart\n');
});

test.skipIf(absent)(
  'a world does not run in the network of a process that has the number of one that ended',
  async () => {
    const { identity, end } = await network();
    expect(await started({ ...identity, start: '1' })).toBe('the world is gone\n');
    end();
  },
);

test.skipIf(absent)('a world does not run where a folder has become a link meanwhile', async () => {
  const { identity, end } = await network();
  try {
    const folder = join(project, 'folder');
    mkdirSync(folder);
    const swap = (): void => {
      renameSync(folder, `${folder}.was`);
      symlinkSync('/var', folder);
    };
    expect(await started(identity, [folder], swap)).toMatch(/is not what it was/);
    rmSync(folder);
    rmSync(`${folder}.was`, { recursive: true });
    expect(await started(identity)).toBe('RAN\n');
  } finally {
    end();
  }
});

test.skipIf(absent)('a world is described by no file where its environment says', async () => {
  const { identity, end } = await network();
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = join(root, 'nowhere');
  try {
    expect(await started(identity)).toBe('RAN\n');
    expect(readdirSync(join(root, 'home'))).toEqual([]);
  } finally {
    end();
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  }
});

test('a world that cannot be prepared is closed again', async () => {
  const asked: unknown[] = [];
  const request: WorldRequest = {
    server: undefined,
    starter: undefined,
    command: ['/bin/true'],
    env: {},
    envOutside: {},
    door: undefined,
    layer: undefined,
    view: worldView({
      cwd: project,
      read: [],
      write: [],
      writesThrough: true,
      gatewayHome: join(root, 'no-home'),
    }),
    agent: undefined,
    sandboxOff: undefined,
    signals: [],
    now: Date.now(),
  };
  const opened = openWorld((action, payload) => {
    asked.push([action, payload]);
    return Promise.resolve({ world_id: 'w', network: 'full', holder: { pid: 1, start: '1' } });
  }, request);
  await expect(opened).rejects.toThrow('ENOENT');
  expect(asked).toEqual([
    ['world.open', { folder: project }],
    ['world.close', { world_id: 'w' }],
  ]);
});
