import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { parseJson } from '../json/parse.js';
import * as node from './node.js';
import * as portable from './portable.js';

const entry = z.object({
  name: z.string(),
  text: z.string().optional(),
  hex: z.string().optional(),
  repeat: z.number().optional(),
  sha256: z.string(),
});
const vectors = z
  .object({ valid: z.array(entry).min(5), invalid: z.array(entry).min(1) })
  .parse(JSON.parse(readFileSync(new URL('../../../../vectors/sha256.json', import.meta.url), 'utf8')));
const args = z
  .object({
    valid: z
      .array(z.object({ name: z.string(), inputs: z.array(z.string()).min(1), args_hash: z.string() }))
      .min(5),
    invalid: z.array(z.object({ name: z.string(), input: z.string(), code: z.string() })).min(1),
  })
  .parse(JSON.parse(readFileSync(new URL('../../../../vectors/args-hash.json', import.meta.url), 'utf8')));

function dataOf({ text = '', hex, repeat = 1 }: z.infer<typeof entry>): string | Uint8Array {
  return hex === undefined ? text.repeat(repeat) : Buffer.from(hex, 'hex');
}

const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const toBytes = (data: string | Uint8Array): Uint8Array =>
  typeof data === 'string' ? Buffer.from(data) : data;

const backends = [
  { backend: 'the chosen function', hash: node.sha256Hex },
  { backend: 'crypto.hash', hash: node.oneShotHex },
  { backend: 'a Hash object', hash: node.objectHex },
  { backend: 'node bytes', hash: (data: string | Uint8Array) => toHex(node.sha256Bytes(data)) },
  {
    backend: 'node stream',
    hash: (data: string | Uint8Array) => new node.StreamHash().update(toBytes(data)).digestHex(),
  },
  { backend: 'portable hex', hash: portable.sha256Hex },
  { backend: 'portable bytes', hash: (data: string | Uint8Array) => toHex(portable.sha256Bytes(data)) },
  {
    backend: 'portable stream',
    hash: (data: string | Uint8Array) => new portable.StreamHash().update(toBytes(data)).digestHex(),
  },
];

describe.each(backends)('SHA-256 by $backend', ({ hash }) => {
  it.each(vectors.valid)('hashes $name', (vector) => {
    expect(hash(dataOf(vector))).toBe(vector.sha256);
  });

  it.each(vectors.invalid)('does not give the wrong hash of $name', (vector) => {
    expect(hash(dataOf(vector))).not.toBe(vector.sha256);
  });
});

describe.each([
  { name: 'node', StreamHash: node.StreamHash },
  { name: 'portable', StreamHash: portable.StreamHash },
])('StreamHash ($name)', ({ StreamHash }) => {
  it('does not depend on how the bytes are cut, and may be read on the way', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 200 })), (chunks) => {
        const stream = new StreamHash();
        const soFar: Uint8Array[] = [];
        for (const chunk of chunks) {
          soFar.push(chunk);
          const whole = createHash('sha256').update(Buffer.concat(soFar)).digest('hex');
          expect(stream.update(chunk).digestHex()).toBe(whole);
        }
      }),
    );
  });
});

describe('argsHash', () => {
  const both = [node.argsHash, portable.argsHash];

  it.each(args.valid)('is the same for every spelling: $name', ({ inputs, args_hash: expected }) => {
    for (const argsHash of both)
      expect(inputs.map((input) => argsHash(parseJson(input)))).toEqual(inputs.map(() => expected));
  });

  it('differs between the entries', () => {
    expect(new Set(args.valid.map((vector) => vector.args_hash)).size).toBe(args.valid.length);
  });

  it.each(args.invalid)('does not exist for $name', ({ input, code }) => {
    for (const argsHash of both)
      expect(() => argsHash(parseJson(input))).toThrow(expect.objectContaining({ code }));
  });
});
