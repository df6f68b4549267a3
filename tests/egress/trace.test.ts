import { describe, expect, it } from 'vitest';
import { findingsOf, placeOf } from './kit/findings.js';
import { readTrace } from './kit/trace.js';

describe('the reader of a session', () => {
  const NODE = 'execve("/usr/bin/node", ["node", ';
  const log = (...lines: string[]): string =>
    lines.map((line, at) => line.replace(' ', ` ${1000 + at}.000000 `)).join('\n');
  const read = (text: string) => readTrace(text, (argv) => argv[1] ?? '');
  const nothing = { permissions: [], resolver: '127.11.22.33:53', doors: ['127.0.0.1:9'] };

  it('counts what a thread does as its process, across calls that were interrupted', () => {
    const trace = read(
      log(
        `10 ${NODE}"gateway"], 0x7ffe /* 3 vars */) = 0`,
        '10 clone3({flags=CLONE_VM|CLONE_THREAD} => {parent_tid=[11]}, 88 <unfinished ...>',
        '11 socket(AF_INET, SOCK_DGRAM|SOCK_CLOEXEC, IPPROTO_IP) = 5',
        '10 <... clone3 resumed>) = 11',
        '11 connect(5, {sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr("127.11.22.33")}, 16 <unfinished ...>',
        '10 socket(AF_INET6, SOCK_STREAM, IPPROTO_TCP) = -1 EAFNOSUPPORT (not here)',
        '11 <... connect resumed>) = 0',
        '10 connect(7, {sa_family=AF_INET6, sin6_port=htons(443), sin6_flowinfo=htonl(0), inet_pton(AF_INET6, "2001:db8::1", &sin6_addr), sin6_scope_id=0}, 28) = -1 EINPROGRESS',
        '10 connect(8, {sa_family=AF_UNIX, sun_path="/run/x"}, 110) = 0',
      ),
    );
    expect(trace.sockets.map(({ pid, family }) => [pid, family])).toEqual([
      [10, 'AF_INET'],
      [10, 'AF_INET6'],
    ]);
    expect(trace.dials.map((dial) => [dial.pid, dial.kind, placeOf(dial)])).toEqual([
      [10, 'SOCK_DGRAM', '127.11.22.33:53'],
      [10, 'unknown', '2001:db8::1:443'],
    ]);
    expect(findingsOf(trace, nothing)).toEqual(['the gateway dialled 2001:db8::1:443, and no entry says so']);
  });

  it('finds a socket of a command and of a shim, a second gateway, a ring, and words to somebody without a connection', () => {
    const trace = read(
      log(
        `1 ${NODE}"gateway"], 0x7ffe) = 0`,
        '1 vfork() = 2',
        `2 ${NODE}"cli"], 0x7ffe) = 0`,
        '2 socket(AF_INET, SOCK_STREAM, IPPROTO_TCP) = 3',
        '2 clone(child_stack=NULL, flags=SIGCHLD) = 3',
        '3 socket(AF_INET6, SOCK_DGRAM, IPPROTO_IP) = 3',
        `3 ${NODE}"gateway"], 0x7ffe) = 0`,
        `4 ${NODE}"shim"], 0x7ffe) = 0`,
        '4 io_uring_setup(64, {flags=0}) = 3',
        '5 sendto(9, "x", 1, 0, {sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr("9.9.9.9")}, 16) = 1',
      ),
    );
    expect(findingsOf(trace, nothing)).toEqual([
      '2 gateways were started',
      'shim opened an io_uring',
      'cli made a socket of AF_INET, SOCK_STREAM',
      'cli made a socket of AF_INET6, SOCK_DGRAM',
      'unknown dialled 9.9.9.9:53',
    ]);
  });

  it('takes no entry for a dial before it or after its result', () => {
    const dial =
      '1 connect(7, {sa_family=AF_INET, sin_port=htons(443), sin_addr=inet_addr("9.9.9.9")}, 16) = 0';
    const trace = read(log(`1 ${NODE}"gateway"], 0x7ffe) = 0`, dial));
    const at = (from: number, until: number): string[] => {
      const entry = { seq: 1, action: 'net.connect', places: ['9.9.9.9:443'], from, until };
      return findingsOf(trace, { ...nothing, permissions: [entry] });
    };
    expect(at(1_001_000, 1_001_000)).toEqual([]);
    const both = [
      'the gateway dialled 9.9.9.9:443, and no entry says so',
      'net.connect is recorded, and nothing was dialled for it',
    ];
    expect(at(1_001_001, 1_002_000)).toEqual(both);
    expect(at(1_000_000, 1_000_999)).toEqual(both);
  });
});
