import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Stage, USERS, whyNoWorlds } from './kit/stage.js';

vi.setConfig({ hookTimeout: 240_000, testTimeout: 240_000 });

const why = whyNoWorlds();
const absent = why === undefined ? '' : ` (not here: ${why})`;
const LIMITED = fileURLToPath(new URL('kit/limited.mjs', import.meta.url));
const MEBIBYTE = 1_048_576;
const MOST = 200 * MEBIBYTE;

/** How a program with limits ended. */
interface Limited {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly told: { readonly exact: string[]; readonly approximate: string[]; readonly reached?: string };
  readonly remark?: string;
  readonly ms: number;
}

/** Two GiB of a process's own. */
const ALLOCATE = `exec python3 -c '
all = []
for at in range(512): all.append(b"x" * (1 << 22))
print("ALL OF IT")'`;
/** 600 MB of a file without a name, which is no page of the process. */
const NAMELESS = `exec python3 -c '
import os
file = os.memfd_create("m")
for at in range(150): os.write(file, b"x" * (1 << 22))
print("ALL OF IT")'`;
/** In a child, which ends while its parent goes on. */
const CHILD = `sh -c '${ALLOCATE.replaceAll("'", `'"'"'`)}'; echo "child $?"; echo on`;

/** Groups that are left, of any world. */
function groupsLeft(): readonly string[] {
  const found: string[] = [];
  const look = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (!entry.isDirectory()) continue;
      if (entry.name.startsWith('sub-world-')) found.push(join(folder, entry.name));
      look(join(folder, entry.name));
    }
  };
  look('/sys/fs/cgroup/memory');
  return found;
}

describe.skipIf(why !== undefined).each(USERS)(`a world with limits, started by %s${absent}`, (_, uid) => {
  let stage: Stage;

  beforeAll(async () => {
    stage = new Stage(uid);
    await stage.start({});
  });
  afterAll(() => stage.remove());

  const limited = (limits: Readonly<Record<string, number>>, script: string): Promise<Limited> => {
    const words = [process.execPath, LIMITED, stage.home, stage.project, JSON.stringify(limits), script];
    const [command, ...args] = stage.asUser(...words);
    return new Promise((resolve, reject) => {
      execFile(command, args, { timeout: 110_000, cwd: stage.project }, (error, stdout, stderr) => {
        if (error === null) resolve(JSON.parse(stdout) as Limited);
        else reject(new Error(`${error.message} ${stderr}`));
      });
    });
  };
  const endOf = (): unknown => stage.rows().findLast(({ type }) => type === 'world_end')?.data;
  const sentence = ({ stderr, remark }: Limited): string => `${stderr}${remark ?? ''}`;

  it.each([
    ['a program takes two GiB', ALLOCATE],
    ['a program puts 600 MB into a file without a name', NAMELESS],
  ])('ends it when %s, says so and records it', async (_name, script) => {
    const end = await limited({ memory_bytes: MOST }, script);
    expect(end).toMatchObject({ code: 137, stdout: '', told: { reached: 'memory' } });
    expect(sentence(end)).toMatch(/the world has reached a limit: /);
    expect(endOf()).toMatchObject({ reached: 'memory' });
    expect([...end.told.exact, ...end.told.approximate].toSorted()).toEqual(['memory', 'processes']);
  });

  it('ends the process that takes most memory, and leaves the others', async () => {
    const end = await limited({ memory_bytes: MOST }, CHILD);
    expect(end).toMatchObject({ code: 0, stdout: 'child 137\non\n', told: { reached: 'memory' } });
  });

  it('has no more memory in its folders than it may have at all', async () => {
    const fill = 'head -c 150m /dev/zero > /tmp/x; head -c 150m /dev/zero > /var/tmp/x; sleep 100; echo over';
    const end = await limited({ memory_bytes: MOST }, fill);
    expect(end).toMatchObject({ code: 137, stdout: '', told: { reached: 'memory' } });
  });

  it('leaves a program alone whose memory is that of all of its children', async () => {
    // 120 MiB that four children share after the fork: each has them, and all together have no more.
    const shared = `exec python3 -c '
import os, time
all = b"x" * (120 << 20)
for at in range(4):
  if os.fork() == 0: time.sleep(1); os._exit(0)
for at in range(4): os.wait()
print(len(all))'`;
    const end = await limited({ memory_bytes: MOST }, shared);
    expect(end).toMatchObject({ code: 0, stdout: `${120 * MEBIBYTE}\n` });
    expect(end.told).not.toHaveProperty('reached');
  });

  it('starts no more processes than it may have, while others go on', async () => {
    const bomb = `exec python3 -c '
import os, time
made = 0
read, write = os.pipe()
try:
  while made < 1000:
    if os.fork() == 0: os.close(write); os.read(read, 1); os._exit(0)
    made += 1
except OSError: pass
print(made, flush=True)
time.sleep(3)'`;
    const ending = limited({ processes: 64 }, bomb);
    const beside = await stage.inWorld('for i in 1 2 3 4 5 6 7 8; do sleep 0.1 & done; wait; echo beside');
    expect(beside).toMatchObject({ code: 0, stdout: 'beside\n' });
    expect((await stage.sub('status')).code).toBe(0);
    const end = await ending;
    expect(end).toMatchObject({ code: 0, told: { exact: ['processes'] } });
    expect(Number(end.stdout)).toBe(63);
  });

  it('ends when its time is over, whatever a program of it does', async () => {
    const clinging = "trap '' TERM HUP INT; setsid sleep 300 & while :; do sleep 1; done";
    const end = await limited({ wall_ms: 600 }, clinging);
    expect(end).toMatchObject({ code: 137, told: { exact: ['processes', 'wall'], reached: 'wall' } });
    expect(end.stderr).toBe('sub: the world has reached a limit: its 600 ms are over\n');
    expect(endOf()).toMatchObject({ reached: 'wall', exact: ['processes', 'wall'] });
  });

  it('has its share of the processors where the kernel keeps it, and else comes behind all others', async () => {
    const busy = `exec python3 -c '
import os, time
begin = time.time()
while time.time() - begin < 2: pass
print(os.times().user + os.times().system, os.nice(0))'`;
    const end = await limited({ cpus: 0.25 }, busy);
    const [seconds = Number.NaN, nice] = end.stdout.split(' ').map(Number);
    // Half as much again: what a moment is, the kernel says.
    if (end.told.exact.includes('cpus')) expect(seconds).toBeLessThan(0.25 * 2 * 1.5);
    else expect(nice).toBe(10);
  });

  it('makes no file that is longer than all of its files may be', async () => {
    const script =
      'truncate -s 1T large; echo $?; head -c 20m /dev/zero > long; echo $?; stat -c %s long; rm -f long large';
    const end = await limited({ disk_bytes: 10 * MEBIBYTE }, `(${script}) 2>/dev/null`);
    expect(end).toMatchObject({ code: 0, stdout: '153\n153\n10485760\n', told: { approximate: ['disk'] } });
  });

  it('holds its limits as `sub world doctor` says', async () => {
    const said = /limits +exact: (.*); approximate: ([a-z, ]*)/mu.exec(
      (await stage.sub('world', 'doctor')).stdout,
    );
    const { told } = await limited(
      { memory_bytes: MOST, cpus: 1, wall_ms: 60_000, disk_bytes: MOST },
      'true',
    );
    expect(said?.slice(1).map((names) => names.split(', '))).toEqual([told.exact, told.approximate]);
  });

  it('leaves no process and no control group', () => {
    expect(stage.processes()).toEqual([]);
    if (process.getuid?.() === 0 && uid === undefined) expect(groupsLeft()).toEqual([]);
  });
});
