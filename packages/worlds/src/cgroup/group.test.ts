import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeGroup } from './group.js';
import { hierarchies } from './hierarchies.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync('/var/tmp/sub-cg-');
});
afterEach(() => rmSync(root, { recursive: true }));

/** Makes a file of a fake tree, with the folders around it. */
function put(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}
/** As the kernel says it to a process in this group. */
function machine(lines: readonly string[], mounts: readonly string[]): string {
  put('proc/cgroup', `${lines.join('\n')}\n`);
  put('proc/mountinfo', `${mounts.join('\n')}\n`);
  return join(root, 'proc');
}
const text = (path: string): string => readFileSync(path, 'utf8');
const LIMITS = { memoryBytes: 209_715_200, cpus: 0.5, processes: 64 } as const;

describe('the control groups of a machine', () => {
  it('are found by its mounts, with the group of the process in each of them', () => {
    const at = machine(
      [
        '12:cpu,cpuacct:/user.slice',
        '4:memory:/a/b',
        '1:name=systemd:/user.slice',
        '0::/user.slice/x:y.scope',
      ],
      [
        '31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755',
        '32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct',
        '35 31 0:32 /a /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory',
        '41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw',
        '42 31 0:39 /elsewhere /mnt/c rw,relatime - cgroup2 cgroup2 rw',
      ],
    );
    expect(hierarchies(at)).toEqual([
      {
        version: 1,
        controllers: ['cpu', 'cpuacct'],
        top: '/sys/fs/cgroup/cpu,cpuacct',
        own: '/sys/fs/cgroup/cpu,cpuacct/user.slice',
      },
      { version: 1, controllers: ['memory'], top: '/sys/fs/cgroup/memory', own: '/sys/fs/cgroup/memory/b' },
      {
        version: 2,
        controllers: [],
        top: '/sys/fs/cgroup/unified',
        own: '/sys/fs/cgroup/unified/user.slice/x:y.scope',
      },
    ]);
  });

  it('are none where the machine says nothing of them', () => {
    expect(hierarchies(join(root, 'nowhere'))).toEqual([]);
  });
});

/** A tree of version 2 in which systemd has handed a slice to the user. */
const delegated = (slice: {
  readonly has: string;
  readonly hands: string;
}): ReturnType<typeof hierarchies> => {
  put('tree/cgroup.controllers', 'cpuset cpu io memory hugetlb pids');
  put('tree/app.slice/cgroup.controllers', slice.has);
  put('tree/app.slice/cgroup.subtree_control', `${slice.hands}\n`);
  put('tree/app.slice/cgroup.procs', '');
  put('tree/app.slice/term.scope/cgroup.controllers', slice.hands);
  put('tree/app.slice/term.scope/cgroup.procs', '1');
  return hierarchies(
    machine(['0::/app.slice/term.scope'], [`41 31 0:38 / ${join(root, 'tree')} rw - cgroup2 cgroup2 rw`]),
  );
};

describe('the control group of a world, of version 2', () => {
  it('stands beside the group of whoever starts it, and has the limits', () => {
    const trees = delegated({ has: 'cpu memory pids', hands: 'cpu memory pids' });
    const group = makeGroup(LIMITS, 'w', trees);
    expect(group?.holds).toEqual(new Set(['memory', 'cpus', 'processes']));
    const [folder = ''] = group?.folders ?? [];
    expect(dirname(folder)).toBe(join(root, 'tree/app.slice'));
    expect(text(join(folder, 'memory.max'))).toBe('209715200');
    expect(text(join(folder, 'cpu.max'))).toBe('50000 100000');
    // Bubblewrap and the first process are in it, too.
    expect(text(join(folder, 'pids.max'))).toBe('66');
  });

  it('holds what its controllers hold, whatever is mounted', () => {
    const group = makeGroup(LIMITS, 'w', delegated({ has: 'memory pids', hands: 'memory' }));
    expect(group?.holds).toEqual(new Set(['memory']));
    expect(text(join(root, 'tree/app.slice/cgroup.subtree_control'))).toBe('memory\n+pids');
  });

  it('is not made where there is no controller that it needs', () => {
    expect(makeGroup(LIMITS, 'w', delegated({ has: 'hugetlb', hands: 'hugetlb' }))).toBeUndefined();
    expect(readdirSync(join(root, 'tree/app.slice')).filter((name) => name.startsWith('sub-'))).toEqual([]);
  });

  it('is not made for a world whose processes alone are bounded', () => {
    const trees = delegated({ has: 'cpu memory pids', hands: 'cpu memory pids' });
    expect(makeGroup({ processes: 64 }, 'w', trees)).toBeUndefined();
  });

  it('tells how many processes were ended because memory was used up', () => {
    const group = makeGroup(LIMITS, 'w', delegated({ has: 'memory', hands: 'memory' }));
    const [folder = ''] = group?.folders ?? [];
    expect(group?.ended()).toBe(0);
    writeFileSync(
      join(folder, 'memory.events'),
      'low 0\nhigh 0\nmax 31\noom 2\noom_kill 2\noom_group_kill 0\n',
    );
    expect(group?.ended()).toBe(2);
  });

  it('that a crash has left goes when the next world begins', () => {
    const trees = delegated({ has: 'memory', hands: 'memory' });
    const [left, lives] = [4_194_305, process.pid].map((pid) =>
      join(root, 'tree/app.slice', `sub-world-${pid}-old`),
    );
    for (const folder of [left, lives]) mkdirSync(folder ?? '');
    makeGroup(LIMITS, 'w', trees);
    expect([existsSync(left ?? ''), existsSync(lives ?? '')]).toEqual([false, true]);
  });
});

const isRoot = process.getuid?.() === 0;
const v1 = hierarchies().filter(({ version }) => version === 1);
const hasV1 = isRoot && v1.some(({ controllers }) => controllers.includes('memory'));

describe.skipIf(!hasV1)(`the control group of a world, of version 1${hasV1 ? '' : ' (not here)'}`, () => {
  it('is the kernel’s, with the limits, and goes with the world', async () => {
    const group = makeGroup(LIMITS, 'test', v1);
    expect(group?.holds).toEqual(new Set(['memory', 'cpus', 'processes']));
    const folders = group?.folders ?? [];
    const of = (file: string): string =>
      text(folders.map((folder) => join(folder, file)).find((path) => existsSync(path)) ?? '').trim();
    expect(of('memory.limit_in_bytes')).toBe('209715200');
    expect(of('cpu.cfs_quota_us')).toBe('50000');
    expect(of('pids.max')).toBe('66');
    expect(group?.ended()).toBe(0);
    await group?.remove();
    expect(folders.filter((folder) => existsSync(folder))).toEqual([]);
  });
});
