import type { SystemCalls } from './numbers.js';

/** Instructions of classic BPF (linux/bpf_common.h), as far as a filter of system calls needs them. */
const LOAD = 0x20;
const IF_EQUAL = 0x15;
const IF_AT_LEAST = 0x35;
const IF_ANY_BIT = 0x45;
const RETURN = 0x06;

/** Offsets in `struct seccomp_data`: the number, the architecture, the low halves of arguments. */
const NUMBER = 0;
const ARCHITECTURE = 4;
const argument = (index: number): number => 16 + 8 * index;

const ALLOW = 0x7fff0000;
const LOG = 0x7ffc0000;
const KILL = 0x80000000;
const errno = (number: number): number => 0x00050000 | number;
const EPERM = 1;
const ENOSYS = 38;
const EPROTONOSUPPORT = 93;
const EAFNOSUPPORT = 97;

/** Every `CLONE_NEW…` of linux/sched.h that clone takes. */
const NEW_NAMESPACES = 0x7e020000;
/** Numbers from here on are calls of the x32 kind, which no table here speaks of. */
const X32 = 0x40000000;
/**
 * Requests of a terminal that put words into somebody else's input, or load code: TIOCSTI, TIOCSETD,
 * TIOCLINUX.
 */
const TERMINAL_REQUESTS = [0x5412, 0x5423, 0x541c];
/**
 * A file that its owner hands to everybody, and to run as its owner: nothing of it counts in a world, but the
 * file stands on the machine, where it would be root's or the user's.
 */
const SET_ID = 0o6000;
/** With one of these an open makes a file (O_CREAT, O_TMPFILE), and only then it has a mode. */
const MAKES_FILE = 0o20000100;
/** The family's own, ICMP, TCP, UDP, ICMPv6, MPTCP: the others load code into the kernel. */
const PROTOCOLS = [0, 1, 6, 17, 58, 262];
const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

/**
 * The filter of a world, as bubblewrap loads it: `struct sock_filter` one after the other. It refuses what
 * reaches around the namespaces, reads other processes, or has had holes and is needed by no tool. A call of
 * another architecture ends its process.
 */
export function seccompFilter(calls: SystemCalls): Buffer {
  const program: Instruction[] = [
    [LOAD, 0, 0, ARCHITECTURE],
    [IF_EQUAL, 1, 0, calls.arch],
    [RETURN, 0, 0, KILL],
    [LOAD, 0, 0, NUMBER],
    [IF_AT_LEAST, 0, 1, X32],
    [RETURN, 0, 0, KILL],
    ...calls.denied.flatMap((call) => answered(call, errno(EPERM))),
    ...calls.logged.flatMap((call) => answered(call, LOG)),
    // Its flags stand in memory, where no filter can look: libraries then take clone.
    ...answered(calls.clone3, errno(ENOSYS)),
    ...answered(calls.openat2, errno(ENOSYS)),
    ...calls.modes.flatMap(([call, mode]) => within(call, withoutSetId(mode))),
    ...calls.opens.flatMap(([call, flags]) =>
      within(call, [
        [LOAD, 0, 0, argument(flags)],
        [IF_ANY_BIT, 1, 0, MAKES_FILE],
        [RETURN, 0, 0, ALLOW],
        ...withoutSetId(flags + 1),
      ]),
    ),
    ...within(calls.clone, [
      [LOAD, 0, 0, argument(0)],
      [IF_ANY_BIT, 0, 1, NEW_NAMESPACES],
      [RETURN, 0, 0, errno(EPERM)],
      [RETURN, 0, 0, ALLOW],
    ]),
    ...within(calls.ioctl, [
      [LOAD, 0, 0, argument(1)],
      ...TERMINAL_REQUESTS.flatMap((request) => answered(request, errno(EPERM))),
      [RETURN, 0, 0, ALLOW],
    ]),
    ...within(calls.socket, [
      [LOAD, 0, 0, argument(0)],
      ...answered(AF_UNIX, ALLOW),
      ...[AF_INET, AF_INET6].flatMap((family) =>
        within(family, [
          [LOAD, 0, 0, argument(2)],
          ...PROTOCOLS.flatMap((protocol) => answered(protocol, ALLOW)),
          [RETURN, 0, 0, errno(EPROTONOSUPPORT)],
        ]),
      ),
      ...within(AF_NETLINK, [
        [LOAD, 0, 0, argument(2)],
        // Routes and addresses, which libraries ask for; of the kernel's events and modules nothing.
        ...answered(0, ALLOW),
        [RETURN, 0, 0, errno(EPERM)],
      ]),
      [RETURN, 0, 0, errno(EAFNOSUPPORT)],
    ]),
    [RETURN, 0, 0, ALLOW],
  ];
  const bytes = Buffer.alloc(program.length * 8);
  for (const [at, [code, ifTrue, ifFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, at * 8);
    bytes.writeUInt8(ifTrue, at * 8 + 2);
    bytes.writeUInt8(ifFalse, at * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, at * 8 + 4);
  }
  return bytes;
}

/** The answer to a call whose mode is that argument. */
function withoutSetId(mode: number): Instruction[] {
  return [
    [LOAD, 0, 0, argument(mode)],
    [IF_ANY_BIT, 0, 1, SET_ID],
    [RETURN, 0, 0, errno(EPERM)],
    [RETURN, 0, 0, ALLOW],
  ];
}

/** The answer where the loaded value is that one. */
function answered(value: number, answer: number): Instruction[] {
  return [
    [IF_EQUAL, 0, 1, value],
    [RETURN, 0, 0, answer],
  ];
}

/** The instructions where the loaded value is that one; they end with an answer. */
function within(value: number, then: readonly Instruction[]): Instruction[] {
  return [[IF_EQUAL, 0, then.length, value], ...then];
}
