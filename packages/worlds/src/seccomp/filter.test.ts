import { describe, expect, it } from 'vitest';
import { answerOf as answer } from '../../testing/bpf.js';
import { seccompFilter } from './filter.js';
import { systemCallsOf } from './numbers.js';

const ALLOW = 0x7fff0000;
const LOG = 0x7ffc0000;
const KILL = 0x80000000;
const EPERM = 0x00050001;
const ENOSYS = 0x00050026;
const EAFNOSUPPORT = 0x00050061;
const X64 = 0xc000003e;

describe('the filter of a world', () => {
  const calls = systemCallsOf('x64');
  if (calls === undefined) throw new Error('there are no numbers');
  const filter = seccompFilter(calls);
  const of = (number: number, ...args: readonly bigint[]): number => answer(filter, X64, number, ...args);

  it.each([
    ['mount', 165],
    ['unshare', 272],
    ['setns', 308],
    ['ptrace', 101],
    ['bpf', 321],
    ['io_uring_setup', 425],
    ['keyctl', 250],
    ['open_by_handle_at', 304],
    ['pidfd_getfd', 438],
    ['process_vm_readv', 310],
  ])('refuses %s', (_name, number) => expect(of(number)).toBe(EPERM));

  it.each([
    ['read', 0],
    ['execve', 59],
    ['openat', 257],
    ['connect', 42],
    ['clock_gettime', 228],
    ['statx', 332],
  ])('serves %s', (_name, number) => expect(of(number)).toBe(ALLOW));

  it('ends a call of another architecture, and one of the x32 kind', () => {
    expect(answer(filter, 0x40000003, 11)).toBe(KILL);
    expect(of(0x40000000 + 59)).toBe(KILL);
  });

  it('serves threads and processes, and refuses namespaces, in whatever half of the flags', () => {
    expect(of(56, 0x3d0f00n)).toBe(ALLOW);
    for (const flag of [0x10000000n, 0x20000000n, 0x40000000n, 0x00020000n, 0x02000000n])
      expect(of(56, flag | 17n)).toBe(EPERM);
    expect(of(435, 0n)).toBe(ENOSYS);
  });

  it('refuses words into a terminal, whatever stands above the request', () => {
    for (const request of [0x5412n, 0x5423n, 0x541cn]) {
      expect(of(16, 0n, request)).toBe(EPERM);
      expect(of(16, 0n, request | (7n << 32n))).toBe(EPERM);
    }
    expect(of(16, 0n, 0x5401n)).toBe(ALLOW);
  });

  it('makes sockets of IP, of the machine itself, and for routes, and no others', () => {
    for (const family of [1n, 2n, 10n]) expect(of(41, family, 1n, 0n)).toBe(ALLOW);
    expect(of(41, 16n, 3n, 0n)).toBe(ALLOW);
    for (const protocol of [9n, 11n, 12n, 15n, 16n]) expect(of(41, 16n, 3n, protocol)).toBe(EPERM);
    for (const family of [17n, 38n, 40n, 44n]) expect(of(41, family, 3n, 0n)).toBe(EAFNOSUPPORT);
  });

  it('has nobody bound or slow the first process of a world', () => {
    for (const call of [142, 144, 203, 302, 314]) {
      expect(of(call, 1n)).toBe(EPERM);
      expect(of(call, 0n)).toBe(ALLOW);
    }
    expect(of(141, 0n, 1n)).toBe(EPERM);
    expect(of(141, 0n, 7n)).toBe(ALLOW);
    expect(of(251, 1n, 1n)).toBe(EPERM);
    expect(of(251, 1n, 7n)).toBe(ALLOW);
    // A group and all of a user, whoever they are.
    for (const [call, kind] of [
      [141, 1n],
      [141, 2n],
      [251, 2n],
      [251, 3n],
    ] as const)
      expect(of(call, kind, 0n)).toBe(EPERM);
  });

  it('has nobody keep others from a file by a lease', () => {
    for (const request of [1024n, 1040n, 1024n | (7n << 32n)]) expect(of(72, 3n, request)).toBe(EPERM);
    for (const request of [1n, 3n, 6n, 1030n]) expect(of(72, 3n, request)).toBe(ALLOW);
  });

  it('logs what is rarely honest', () => {
    expect(of(135, 0xffffffffn)).toBe(LOG);
  });

  it('is written for arm64, too, and for nothing else', () => {
    const arm = systemCallsOf('arm64');
    if (arm === undefined) throw new Error('there are no numbers');
    const other = seccompFilter(arm);
    expect(answer(other, 0xc00000b7, 40)).toBe(EPERM);
    expect(answer(other, 0xc00000b7, 220, 0x10000000n)).toBe(EPERM);
    expect(answer(other, 0xc00000b7, 63)).toBe(ALLOW);
    expect(answer(other, X64, 63)).toBe(KILL);
    expect(systemCallsOf('ppc64')).toBeUndefined();
  });
});
