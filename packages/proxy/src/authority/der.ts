/** The encodings of X.690 (DER) that a certificate is made of. */
const BOOLEAN = 0x01;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const OBJECT_IDENTIFIER = 0x06;
const UTF8_STRING = 0x0c;
const UTC_TIME = 0x17;
const GENERALIZED_TIME = 0x18;
const SEQUENCE = 0x30;
const SET = 0x31;

/** One value: its tag, its length, and what it holds. */
export function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.of(tag), lengthOf(content.length), content]);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length);
  const bytes: number[] = [];
  for (let left = length; left > 0; left = Math.floor(left / 256)) bytes.unshift(left % 256);
  return Buffer.of(0x80 | bytes.length, ...bytes);
}

export function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(SEQUENCE, ...parts);
}

/** A set of one member: more would have to be sorted. */
export function setOf(member: Buffer): Buffer {
  return tagged(SET, member);
}

export function boolean(value: boolean): Buffer {
  return tagged(BOOLEAN, Buffer.of(value ? 0xff : 0));
}

/** A number that is not negative, from its bytes, the highest first. */
export function integer(bytes: Uint8Array): Buffer {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start += 1;
  const shortest = Buffer.from(bytes.subarray(start));
  return tagged(INTEGER, ...((shortest[0] ?? 0) >= 0x80 ? [Buffer.of(0)] : []), shortest);
}

/** Bits, of which the last `unused` say nothing. */
export function bits(bytes: Uint8Array, unused = 0): Buffer {
  return tagged(BIT_STRING, Buffer.of(unused), Buffer.from(bytes));
}

export function octets(bytes: Uint8Array): Buffer {
  return tagged(OCTET_STRING, Buffer.from(bytes));
}

export function text(value: string): Buffer {
  return tagged(UTF8_STRING, Buffer.from(value));
}

/** An object identifier, as `2.5.29.17`. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return tagged(OBJECT_IDENTIFIER, Buffer.from([first * 40 + second, ...rest].flatMap(base128)));
}

function base128(value: number): number[] {
  const digits = [value % 128];
  for (let left = Math.floor(value / 128); left > 0; left = Math.floor(left / 128))
    digits.unshift((left % 128) | 0x80);
  return digits;
}

/**
 * A time in whole seconds, as certificates write it (RFC 5280 §4.1.2.5): with four digits of the year from
 * 2050 on.
 */
export function time(ms: number): Buffer {
  const iso = new Date(ms).toISOString();
  const digits = `${iso.slice(0, 19).replaceAll(/[-:T]/g, '')}Z`;
  return Number(iso.slice(0, 4)) < 2050
    ? tagged(UTC_TIME, Buffer.from(digits.slice(2)))
    : tagged(GENERALIZED_TIME, Buffer.from(digits));
}

/** What stands under a number of its context; `isMade`: it is made of other values. */
export function context(number: number, content: Buffer, isMade = true): Buffer {
  return tagged((isMade ? 0xa0 : 0x80) | number, content);
}
