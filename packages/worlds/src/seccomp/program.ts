/** Instructions of classic BPF (linux/bpf_common.h), as far as a filter of system calls needs them. */
export const LOAD = 0x20;
export const IF_EQUAL = 0x15;
export const IF_AT_LEAST = 0x35;
export const IF_ANY_BIT = 0x45;
export const AND = 0x54;
export const RETURN = 0x06;

/** Offsets in `struct seccomp_data`: the number, the architecture, the low halves of arguments. */
export const NUMBER = 0;
export const ARCHITECTURE = 4;
export const argument = (index: number): number => 16 + 8 * index;

export const ALLOW = 0x7fff0000;
export const LOG = 0x7ffc0000;
/** The process that has the filter's listener is asked. */
export const ASK = 0x7fc00000;
export const KILL = 0x80000000;
export const errno = (number: number): number => 0x00050000 | number;
export const EPERM = 1;
export const ENOSYS = 38;
export const EPROTONOSUPPORT = 93;
export const EAFNOSUPPORT = 97;

export type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

/** The program as the kernel reads it: `struct sock_filter` one after the other. */
export function encode(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [at, [code, ifTrue, ifFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, at * 8);
    bytes.writeUInt8(ifTrue, at * 8 + 2);
    bytes.writeUInt8(ifFalse, at * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, at * 8 + 4);
  }
  return bytes;
}

/** The answer where the loaded value is that one. */
export function answered(value: number, answer: number): Instruction[] {
  return [
    [IF_EQUAL, 0, 1, value],
    [RETURN, 0, 0, answer],
  ];
}

/** The instructions where the loaded value is that one; they end with an answer. */
export function within(value: number, then: readonly Instruction[]): Instruction[] {
  return [[IF_EQUAL, 0, then.length, value], ...then];
}
