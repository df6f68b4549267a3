import { bounded, seccompFilter, withoutSetId } from '../seccomp/filter.js';
import type { SystemCalls } from '../seccomp/numbers.js';
import {
  ALLOW,
  AND,
  answered,
  argument,
  ASK,
  EAFNOSUPPORT,
  EPERM,
  EPROTONOSUPPORT,
  errno,
  IF_ANY_BIT,
  IF_EQUAL,
  type Instruction,
  LOAD,
  RETURN,
  within,
} from '../seccomp/program.js';
import type { NamedCalls, PathCall } from './calls.js';

const EOPNOTSUPP = 95;
const AF_UNIX = 1;
const AF_INET = 2;
const SOCK_STREAM = 1;
const SOCK_SEQPACKET = 5;
/** The bits of a type of socket that are no flags. */
const TYPE = 0xf;
const TCP = 6;
/** With it a call that sends connects, too. */
const MSG_FASTOPEN = 0x20000000;
const highHalf = (index: number): number => argument(index) + 4;

/**
 * The filter of a world without namespaces: that of every world, and what a network of its own would hold.
 * There are sockets of TCP over IPv4, each `connect` of which is asked for, and those between processes of
 * the world, which have their partner from the beginning. Nothing listens.
 */
export function namedFilter(calls: SystemCalls, named: NamedCalls): Buffer {
  return seccompFilter(calls, [
    ...answered(named.connect, ASK),
    ...[...named.denied, named.listen].flatMap((call) => answered(call, errno(EPERM))),
    ...named.attributes.flatMap((call) => answered(call, errno(EOPNOTSUPP))),
    ...within(calls.socket, [
      [LOAD, 0, 0, argument(0)],
      ...within(AF_UNIX, ofStreams(1)),
      ...within(AF_INET, [
        [LOAD, 0, 0, argument(1)],
        [AND, 0, 0, TYPE],
        [IF_EQUAL, 1, 0, SOCK_STREAM],
        [RETURN, 0, 0, errno(EPERM)],
        [LOAD, 0, 0, argument(2)],
        ...answered(0, ALLOW),
        ...answered(TCP, ALLOW),
        [RETURN, 0, 0, errno(EPROTONOSUPPORT)],
      ]),
      [RETURN, 0, 0, errno(EAFNOSUPPORT)],
    ]),
    ...within(named.socketpair, ofStreams(1)),
    // To an address only a socket without a partner sends, or one that connects in doing so.
    ...within(named.sendto, [
      [LOAD, 0, 0, argument(4)],
      [IF_EQUAL, 0, 3, 0],
      [LOAD, 0, 0, highHalf(4)],
      [IF_EQUAL, 0, 1, 0],
      [RETURN, 0, 0, ALLOW],
      [RETURN, 0, 0, errno(EPERM)],
    ]),
    ...named.sends.flatMap(([call, flags]) =>
      within(call, [
        [LOAD, 0, 0, argument(flags)],
        [IF_ANY_BIT, 0, 1, MSG_FASTOPEN],
        [RETURN, 0, 0, errno(EPERM)],
        [RETURN, 0, 0, ALLOW],
      ]),
    ),
    // Another process of the same user is not the world's to bound or slow.
    ...bounded(calls, [...answered(0, ALLOW), [RETURN, 0, 0, errno(EPERM)]]),
    ...named.changes.flatMap((change) => within(change.number, asked(change))),
  ]);
}

/** A pair of sockets, or one that could have a partner, which sends to nobody else. */
function ofStreams(type: number): Instruction[] {
  return [
    [LOAD, 0, 0, argument(type)],
    [AND, 0, 0, TYPE],
    ...answered(SOCK_STREAM, ALLOW),
    ...answered(SOCK_SEQPACKET, ALLOW),
    [RETURN, 0, 0, errno(EPERM)],
  ];
}

/** A change by path is asked for; one without a path is of a file that is open, which Landlock has judged. */
function asked({ kind, path, value }: PathCall): Instruction[] {
  if (kind === 'mode') return withoutSetId(value, ASK);
  return [
    [LOAD, 0, 0, argument(path)],
    [IF_EQUAL, 0, 3, 0],
    [LOAD, 0, 0, highHalf(path)],
    [IF_EQUAL, 0, 1, 0],
    [RETURN, 0, 0, ALLOW],
    [RETURN, 0, 0, ASK],
  ];
}
