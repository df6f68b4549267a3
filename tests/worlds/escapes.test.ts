import { spawn, spawnSync } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { processIdentity } from '@subluminal/ipc';
import { openWorld, type WorldRequest } from '@subluminal/worlds';
import { Stage, USERS, whyNoWorlds } from './kit/stage.js';

vi.setConfig({ hookTimeout: 120_000, testTimeout: 120_000 });

const why = whyNoWorlds();
const absent = why === undefined ? '' : ` (not here: ${why})`;

/** Every way in which a file gets a mode, each with a right that hands it to others. */
const SET_ID = `import ctypes, os, sys
c = ctypes.CDLL(None, use_errno=True)
os.umask(0)
def tried(name, does):
  try: does()
  except OSError as error: print(name, error.errno)
def call(*args):
  if c.syscall(*args) < 0: raise OSError(ctypes.get_errno(), "")
open("plain", "w").close()
tried("chmod", lambda: os.chmod("plain", 0o4755))
tried("chmod of a group", lambda: os.chmod("plain", 0o2755))
tried("fchmod", lambda: os.fchmod(os.open("plain", 0), 0o4755))
tried("fchmodat2", lambda: call(452, -100, b"plain", 0o4755, 0))
tried("open", lambda: os.open("made", os.O_CREAT | os.O_WRONLY, 0o4755))
tried("a file without a name", lambda: os.open(".", os.O_TMPFILE | os.O_WRONLY, 0o4755))
tried("mknod", lambda: os.mknod("node", 0o104755))
tried("openat2", lambda: call(437, -100, b"made", (ctypes.c_uint64 * 3)(os.O_CREAT | 1, 0o4755, 0), 24))
if os.uname().machine == "x86_64":
  tried("the old chmod", lambda: call(90, b"plain", 0o4755))
  tried("the old open", lambda: call(2, b"made", os.O_CREAT | 1, 0o4755))
  tried("creat", lambda: call(85, b"made", 0o4755))
  tried("mode with high bits", lambda: call(90, b"plain", ctypes.c_ulong(0x100000000 | 0o4755)))
os.chmod("plain", 0o1755)
print("done")
`;

describe.skipIf(why !== undefined).each(USERS)(`a world that is started by %s${absent}`, (_, uid) => {
  let stage: Stage;
  const own = (path: string): void => {
    if (uid !== undefined) chownSync(path, uid, uid);
  };

  beforeAll(async () => {
    stage = new Stage(uid);
    await stage.start({ 'allowed.test': [{}] });
  });
  afterAll(() => stage.remove());

  it('leaves no file on the machine that runs as whoever owns it', async () => {
    writeFileSync(join(stage.project, 'set-id.py'), SET_ID);
    const { stdout } = await stage.inWorld('python3 set-id.py');
    expect(stdout.split('\n').filter((line) => !/ (?:1|38)$/.test(line))).toEqual(['done', '']);
    const modes = readdirSync(stage.project).map((name) => statSync(join(stage.project, name)).mode & 0o6000);
    expect(new Set(modes)).toEqual(new Set([0]));
  });

  it('has no memory for files but what is bounded', async () => {
    const script =
      'for d in / /var /mnt /home /dev; do test -d $d && touch $d/x && echo "WROTE $d"; done; df -k --output=fstype,size,target | grep "^tmpfs"';
    const { stdout } = await stage.inWorld(`(${script}) 2>/dev/null; touch /tmp/x /var/tmp/x && echo kept`);
    expect(stdout).not.toContain('WROTE');
    expect(stdout).toContain('kept');
  });

  it('is not opened where it would see the gateway’s home', async () => {
    for (const shown of [stage.home, join(stage.home, 'run'), stage.root])
      for (const flag of ['--read', '--write']) {
        const { code, stderr } = await stage.inWorld('echo RAN', flag, shown);
        expect([code, stderr]).toEqual([2, expect.stringContaining('would show the gateway’s home')]);
      }
    const mark = join(stage.root, '.git');
    mkdirSync(mark);
    const { code, stderr } = await stage.inWorld('echo RAN');
    rmSync(mark, { recursive: true });
    expect([code, stderr]).toEqual([2, expect.stringContaining('would show the gateway’s home')]);
  });

  it('is not opened with a path that leads elsewhere by a link', async () => {
    const link = join(stage.project, 'link');
    symlinkSync('/var', link);
    for (const flag of ['--read', '--write']) {
      const { code, stderr } = await stage.inWorld('echo RAN', flag, link);
      expect([code, stderr]).toEqual([2, expect.stringContaining('leads by a link to `/var`')]);
    }
    rmSync(link);
  });

  it('keeps its project where the file system of its mounts stands otherwise', async () => {
    if (uid !== undefined || process.getuid?.() !== 0) return;
    const folder = mkdtempSync('/mnt/sub-w-');
    try {
      const { stdout } = await stage.sub(
        'world',
        'exec',
        '--write',
        folder,
        '--',
        'touch',
        join(folder, 'x'),
      );
      expect([stdout, existsSync(join(folder, 'x'))]).toEqual(['', true]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  describe('whose start is prepared', () => {
    /** Starts `echo RAN` where the gateway has said that the world's network is that process's. */
    const started = async (
      holder: { pid: number; start: string },
      more: Partial<WorldRequest> = {},
      meanwhile: () => void = () => undefined,
    ): Promise<string> => {
      const request: WorldRequest = {
        server: undefined,
        command: ['/bin/echo', 'RAN'],
        env: { PATH: '/usr/bin:/bin' },
        cwd: stage.project,
        read: [],
        write: [],
        gatewayHome: stage.home,
        signals: [],
        ...more,
      };
      const { launch } = await openWorld(async () => {
        meanwhile();
        return { world_id: 'w', holder };
      }, request);
      const end = spawnSync(launch.command, launch.args, {
        stdio: ['ignore', 'pipe', 'pipe', ...launch.files],
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
      const identity = processIdentity(child.pid ?? 0);
      if (identity === undefined) throw new Error('there is no network');
      return { identity, end: () => child.kill('SIGKILL') };
    };
    const holder = (): { pid: number; start: string } => {
      const found = processIdentity(process.pid);
      if (found === undefined) throw new Error('this process is nobody');
      return found;
    };

    it('does not run in the network of the machine', async () => {
      expect(await started(holder())).toBe('the world is not apart\n');
    });

    it('does not run in the network of a process that has the number of one that ended', async () => {
      const { identity, end } = await network();
      expect(await started({ ...identity, start: '1' })).toBe('the world is gone\n');
      end();
    });

    it('does not run where a folder has become a link meanwhile', async () => {
      const { identity, end } = await network();
      try {
        const folder = join(stage.project, 'folder');
        mkdirSync(folder);
        own(folder);
        const swap = (): void => {
          renameSync(folder, `${folder}.was`);
          symlinkSync('/var', folder);
        };
        expect(await started(identity, { write: [folder] }, swap)).toMatch(/is not what it was/);
        rmSync(folder);
        rmSync(`${folder}.was`, { recursive: true });
        expect(await started(identity)).toBe('RAN\n');
      } finally {
        end();
      }
    });
  });
});
