import { describe, expect, it } from 'vitest';
import { answerOf } from '../../testing/bpf.js';
import { systemCallsOf } from '../seccomp/numbers.js';
import { namedCallsOf } from './calls.js';
import { namedFilter } from './filter.js';

const ALLOW = 0x7fff0000;
const ASK = 0x7fc00000;
const EPERM = 0x00050001;
const EOPNOTSUPP = 0x0005005f;
const EPROTONOSUPPORT = 0x0005005d;
const EAFNOSUPPORT = 0x00050061;

function filterOf(architecture: string): Buffer {
  const [calls, named] = [systemCallsOf(architecture), namedCallsOf(architecture)];
  if (calls === undefined || named === undefined) throw new Error('there are no numbers');
  return namedFilter(calls, named);
}

describe('the filter of a world without namespaces', () => {
  const filter = filterOf('x64');
  const of = (number: number, ...args: readonly bigint[]): number =>
    answerOf(filter, 0xc000003e, number, ...args);

  it('has each connection asked for, whatever the address', () => {
    expect(of(42, 3n, 0x7fff00000000n, 16n)).toBe(ASK);
    expect(of(42)).toBe(ASK);
  });

  it('makes sockets of TCP over IPv4 and between processes, and no others', () => {
    expect(of(41, 2n, 1n, 0n)).toBe(ALLOW);
    expect(of(41, 2n, 0x80801n, 6n)).toBe(ALLOW);
    for (const type of [2n, 3n, 5n, 0x80002n, 10n]) expect(of(41, 2n, type, 0n)).toBe(EPERM);
    for (const protocol of [17n, 132n, 262n]) expect(of(41, 2n, 1n, protocol)).toBe(EPROTONOSUPPORT);
    for (const family of [10n, 16n, 17n, 38n, 40n, 44n]) expect(of(41, family, 1n, 0n)).toBe(EAFNOSUPPORT);
    for (const call of [41, 53]) {
      for (const type of [1n, 5n, 0x80001n]) expect(of(call, 1n, type, 0n)).toBe(ALLOW);
      for (const type of [2n, 3n, 0x80002n]) expect(of(call, 1n, type, 0n)).toBe(EPERM);
    }
  });

  it('sends to no address, in whatever half of the pointer, and connects with no first packet', () => {
    expect(of(44, 3n, 1n, 1n, 0n, 0n, 0n)).toBe(ALLOW);
    expect(of(44, 3n, 1n, 1n, 0n, 1n, 16n)).toBe(EPERM);
    expect(of(44, 3n, 1n, 1n, 0n, 1n << 32n, 16n)).toBe(EPERM);
    expect(of(46, 3n, 1n, 0x4000n)).toBe(ALLOW);
    expect(of(46, 3n, 1n, 0x20004000n)).toBe(EPERM);
    expect(of(307, 3n, 1n, 2n, 0n)).toBe(ALLOW);
    expect(of(307, 3n, 1n, 2n, 0x20000000n)).toBe(EPERM);
  });

  it.each([
    ['listen', 50],
    ['shmget', 29],
    ['msgget', 68],
    ['mq_open', 240],
    ['chown', 92],
    ['io_uring_setup', 425],
    ['ptrace', 101],
    ['pidfd_getfd', 438],
    ['unshare', 272],
  ])('refuses %s', (_name, number) => expect(of(number)).toBe(EPERM));

  it('has changes by a path asked for, and refuses a mode that hands something to others', () => {
    expect(of(90, 1n, 0o755n)).toBe(ASK);
    expect(of(90, 1n, 0o4755n)).toBe(EPERM);
    expect(of(268, 0n, 1n, 0o2755n)).toBe(EPERM);
    expect(of(452, 0n, 1n, 0o755n, 0n)).toBe(ASK);
    expect(of(280, 0n, 1n, 0n, 0n)).toBe(ASK);
    expect(of(280, 0n, 1n << 32n, 0n, 0n)).toBe(ASK);
    expect(of(280, 5n, 0n, 0n, 0n)).toBe(ALLOW);
    expect(of(76, 1n, 0n)).toBe(ASK);
    expect(of(188, 1n)).toBe(EOPNOTSUPP);
    expect(of(91, 5n, 0o755n)).toBe(ALLOW);
  });

  it('bounds and slows its own process alone', () => {
    for (const call of [302, 203, 144]) {
      expect(of(call, 0n, 7n)).toBe(ALLOW);
      expect(of(call, 9n, 7n)).toBe(EPERM);
    }
    expect([of(141, 0n, 0n), of(141, 0n, 9n), of(141, 1n, 0n), of(141, 2n, 0n)]).toEqual([
      ALLOW,
      EPERM,
      EPERM,
      EPERM,
    ]);
  });

  it.each([
    ['read', 0],
    ['execve', 59],
    ['openat', 257],
    ['statx', 332],
  ])('serves %s', (_name, number) => expect(of(number)).toBe(ALLOW));

  it('is written for arm64, too', () => {
    const other = filterOf('arm64');
    const on = (number: number, ...args: readonly bigint[]): number =>
      answerOf(other, 0xc00000b7, number, ...args);
    expect([on(203), on(201), on(53, 0n, 1n, 0o755n)]).toEqual([ASK, EPERM, ASK]);
    expect([on(198, 2n, 1n, 0n), on(198, 2n, 2n, 0n), on(198, 10n, 1n, 0n)]).toEqual([
      ALLOW,
      EPERM,
      EAFNOSUPPORT,
    ]);
    expect([on(206, 3n, 1n, 1n, 0n, 1n, 16n), on(211, 3n, 1n, 0x20000000n)]).toEqual([EPERM, EPERM]);
    expect(namedCallsOf('ppc64')).toBeUndefined();
  });
});
