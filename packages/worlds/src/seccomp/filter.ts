import type { SystemCalls } from './numbers.js';
import {
  ALLOW,
  answered,
  ARCHITECTURE,
  argument,
  EAFNOSUPPORT,
  encode,
  ENOSYS,
  EPERM,
  EPROTONOSUPPORT,
  errno,
  IF_ANY_BIT,
  IF_AT_LEAST,
  IF_EQUAL,
  type Instruction,
  KILL,
  LOAD,
  LOG,
  NUMBER,
  RETURN,
  within,
} from './program.js';

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
 * Requests that have everybody else wait who opens the file, or cuts it: F_SETLEASE, F_SETDELEG. Projects are
 * shared.
 */
const LEASES = [1024, 1040];
/**
 * A file that its owner hands to everybody, and to run as its owner: nothing of it counts in a world, but the
 * file stands on the machine, where it would be root's or the user's.
 */
const SET_ID = 0o6000;
/** With one of these an open makes a file (O_CREAT, O_TMPFILE), and only then it has a mode. */
const MAKES_FILE = 0o20000100;
/** The family's own, ICMP, TCP, UDP, ICMPv6, MPTCP: the others load code into the kernel. */
const PROTOCOLS = [0, 1, 6, 17, 58, 262];
/** It keeps the limits of its world, and the kernel lets every process of the same user bound it. */
const FIRST_PROCESS = 1;
const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;

/**
 * The filter of a world, as bubblewrap loads it: `struct sock_filter` one after the other. It refuses what
 * reaches around the namespaces, reads other processes, or has had holes and is needed by no tool. A call of
 * another architecture ends its process. `first` are instructions that are answered before: each looks at the
 * number of the call, and leaves it loaded if it gives no answer.
 */
export function seccompFilter(calls: SystemCalls, first: readonly Instruction[] = []): Buffer {
  const program: Instruction[] = [
    [LOAD, 0, 0, ARCHITECTURE],
    [IF_EQUAL, 1, 0, calls.arch],
    [RETURN, 0, 0, KILL],
    [LOAD, 0, 0, NUMBER],
    [IF_AT_LEAST, 0, 1, X32],
    [RETURN, 0, 0, KILL],
    ...calls.denied.flatMap((call) => answered(call, errno(EPERM))),
    ...calls.logged.flatMap((call) => answered(call, LOG)),
    ...first,
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
    ...bounded(calls, [...answered(FIRST_PROCESS, errno(EPERM)), [RETURN, 0, 0, ALLOW]]),
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
    ...within(calls.fcntl, [
      [LOAD, 0, 0, argument(1)],
      ...LEASES.flatMap((request) => answered(request, errno(EPERM))),
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
  return encode(program);
}

/**
 * The answer to calls that bound or slow a process, by the number of that: `judged` ends with one. A group of
 * processes, and all of a user, are refused: others are among them.
 */
export function bounded(calls: SystemCalls, judged: readonly Instruction[]): Instruction[] {
  return calls.bounding.flatMap(([call, which, ofProcess]) => {
    const kind: readonly Instruction[] = [
      [LOAD, 0, 0, argument(0)],
      [IF_EQUAL, 1, 0, ofProcess ?? 0],
      [RETURN, 0, 0, errno(EPERM)],
    ];
    return within(call, [...(ofProcess === undefined ? [] : kind), [LOAD, 0, 0, argument(which)], ...judged]);
  });
}

/** The answer to a call whose mode is that argument: `answer`, if the mode hands nothing to others. */
export function withoutSetId(mode: number, answer: number = ALLOW): Instruction[] {
  return [
    [LOAD, 0, 0, argument(mode)],
    [IF_ANY_BIT, 0, 1, SET_ID],
    [RETURN, 0, 0, errno(EPERM)],
    [RETURN, 0, 0, answer],
  ];
}
