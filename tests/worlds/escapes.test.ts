import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Ended, Stage, USERS, whyNoWorlds } from './kit/stage.js';

vi.setConfig({ hookTimeout: 240_000, testTimeout: 240_000 });

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

/** Keeps as many connections as it can: each asks for what it may not have, and hears no refusal out. */
const HOLD = `import os, resource, select, socket, time
most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
end, poll, live, made = time.time() + 30, select.epoll(), {}, 0
while time.time() < end and not os.path.exists("enough"):
  for _ in range(64):
    if len(live) >= 3000: break
    s = socket.socket()
    s.setblocking(False)
    s.connect_ex(("1.2.3.4", 80))
    live[s.fileno()] = s
    poll.register(s, select.EPOLLOUT)
    made += 1
  for fd, event in poll.poll(0.001):
    try:
      live[fd].send(b"GET / HTTP/1.1\\r\\n\\r\\n")
      poll.modify(fd, 0)
    except OSError: live.pop(fd).close()
print(made)
`;

describe.skipIf(why !== undefined).each(USERS)(`a world that is started by %s${absent}`, (_, uid) => {
  let stage: Stage;
  let server: Server;
  let port: number;

  beforeAll(async () => {
    stage = new Stage(uid);
    server = createServer((_request, response) => response.end('the allowed server'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ({ port } = server.address() as AddressInfo);
    await stage.start({ 'allowed.test': [{ port }] });
  });
  afterAll(async () => {
    await stage.remove();
    server.close();
  });

  /** Has a program end that waits for that, as soon as nothing more is asked of it. */
  const enough = async (program: Promise<Ended>): Promise<Ended> => {
    const file = join(stage.project, 'enough');
    writeFileSync(file, '');
    const end = await program;
    rmSync(file);
    return end;
  };

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
    const all = [stage.home, join(stage.home, 'run'), stage.root].flatMap((shown) =>
      ['--read', '--write'].map((flag) => stage.inWorld('echo RAN', flag, shown)),
    );
    for (const { code, stderr } of await Promise.all(all))
      expect([code, stderr]).toEqual([125, expect.stringContaining('would show the gateway’s home')]);
    const mark = join(stage.root, '.git');
    mkdirSync(mark);
    const { code, stderr } = await stage.inWorld('echo RAN');
    rmSync(mark, { recursive: true });
    expect([code, stderr]).toEqual([125, expect.stringContaining('would show the gateway’s home')]);
  });

  it('is not opened with a path that leads elsewhere by a link', async () => {
    const link = join(stage.project, 'link');
    symlinkSync('/var', link);
    for (const flag of ['--read', '--write']) {
      const { code, stderr } = await stage.inWorld('echo RAN', flag, link);
      expect([code, stderr]).toEqual([125, expect.stringContaining('leads by a link to `/var`')]);
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

  it('leaves other worlds their processes', async () => {
    // Threads count as processes do, and cost the machine that tests share with it no copies of a memory.
    const script = `import _thread, os, time
_thread.stack_size(65536)
made = 0
try:
  while made < 4090:
    _thread.start_new_thread(time.sleep, (100,))
    made += 1
except RuntimeError: pass
print(made, flush=True)
end = time.time() + 90
while time.time() < end and not os.path.exists("enough"): time.sleep(0.05)`;
    writeFileSync(join(stage.project, 'bomb.py'), script);
    const most = join(stage.project, 'most');
    const bomb = stage.inWorld(`python3 bomb.py > ${most}`, '--write-through');
    await vi.waitUntil(() => existsSync(most) && statSync(most).size > 0, { timeout: 60_000, interval: 100 });
    const others = 'for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.2 & done; wait; echo alive';
    const { stdout } = await stage.inWorld(others);
    await enough(bomb);
    rmSync(most);
    expect(stdout).toBe('alive\n');
  });

  it('hands a signal on to its program', async () => {
    const script = 'trap "echo HEARD; exit 3" TERM; echo up; sleep 20 & wait';
    const { code, stdout } = await stage.signalled('SIGTERM', script);
    expect([code, stdout]).toEqual([3, 'up\nHEARD\n']);
  });

  it('keeps nobody else from the gateway with connections that it holds', async () => {
    writeFileSync(join(stage.project, 'hold.py'), HOLD);
    // Through no layer: one may keep that a file was not there when it was first looked for.
    const held = stage.inWorld('exec python3 hold.py', '--write-through');
    const script = `sleep 1; for i in 1 2 3 4 5 6 7 8 9 10; do curl -sm9 -o /dev/null -w "%{http_code} " http://allowed.test:${port}/; done`;
    const { stdout } = await stage.inWorld(script);
    const { stdout: made } = await enough(held);
    expect(stdout).toBe('200 '.repeat(10));
    expect(Number(made)).toBeGreaterThan(1024);
  });
});
