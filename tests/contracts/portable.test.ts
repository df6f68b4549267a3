import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { cosignNote, renderVerifierKey, signNote, verifierKey } from '@subluminal/core-types';
import { parseSync } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { walkSources } from '../boundary/source-walk.js';
import { REPOSITORY } from '../boundary/planted-tree.js';
import { bundlePortable } from './portable-bundle.js';
import { complaints, schemasOf } from './schemas.js';
import { readVectors } from './vector-file.js';

const { inputs, portable, evaluate, parse } = await bundlePortable();

const Texts = z.object({ name: z.string(), input: z.string() });
const refused = z.array(Texts.extend({ code: z.string() })).min(1);
const vectors = <T extends z.ZodType>(name: string, form: T): z.infer<T> =>
  form.parse(JSON.parse(readFileSync(`${REPOSITORY}/vectors/${name}.json`, 'utf8')));

/** Every identifier of a source file. */
function identifiersOf(path: string): string[] {
  const names: string[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { type, name, value, ...rest } = node as Readonly<Record<string, unknown>>;
    // The key of an object names no global.
    if (type === 'Property' && rest['computed'] === false && rest['shorthand'] === false) {
      visit(value);
      return;
    }
    if (type === 'Identifier' && typeof name === 'string') names.push(name);
    Object.values(node).forEach(visit);
  };
  visit(parseSync(path, readFileSync(`${REPOSITORY}/${path}`, 'utf8')).program);
  return names;
}

describe('the closure of the portable surface', () => {
  const sources = new Map(
    walkSources(REPOSITORY, 'packages/core-types/src').map((file) => [file.path, file]),
  );
  const closure = new Set(['packages/core-types/src/portable.ts']);
  for (const path of closure)
    for (const specifier of sources.get(path)?.specifiers ?? [])
      if (specifier.startsWith('.'))
        closure.add(new URL(specifier.replace(/\.js$/, '.ts'), `file:///${path}`).pathname.slice(1));

  it('holds the files that it was made for, and each of them exists', () => {
    expect([...closure]).toEqual(
      expect.arrayContaining([
        'packages/core-types/src/json/strict-parser.ts',
        'packages/core-types/src/redact/exact.ts',
        'packages/core-types/src/schema/payloads/spool.ts',
      ]),
    );
    expect([...closure].filter((path) => !sources.has(path))).toEqual([]);
  });

  it('names no module of Node, not even for a type', () => {
    const named = [...closure].flatMap((path) => sources.get(path)?.specifiers ?? []);
    expect(named.filter((one) => one.startsWith('node:') || builtinModules.includes(one))).toEqual([]);
  });

  it('names no global that Node alone has', () => {
    const found = [...closure].flatMap((path) => identifiersOf(path).map((name) => `${path}: ${name}`));
    expect(found.filter((one) => one.endsWith(': TextEncoder'))).not.toEqual([]);
    expect(found.filter((one) => /: (?:Buffer|process|require|setImmediate)$/.test(one))).toEqual([]);
  });

  it('is bundled whole, with nothing left outside', () => {
    const imports = Object.values(inputs).flatMap((input) => input.imports);
    expect(imports.filter(({ external, path }) => external === true || path.includes('node:'))).toEqual([]);
  });

  it('runs where there is neither require, process nor Buffer', () => {
    expect(evaluate('[typeof require, typeof process, typeof Buffer, typeof global].join()')).toBe(
      'undefined,undefined,undefined,undefined',
    );
  });
});

describe('in a browser, strict and canonical JSON', () => {
  const { valid, invalid } = vectors(
    'canonical-json',
    z.object({ valid: z.array(Texts.extend({ canonical: z.string() })).min(20), invalid: refused }),
  );
  const numbers = vectors(
    'numbers',
    z.object({
      valid: z.array(z.object({ literal: z.string(), canonical: z.string() })).min(20),
      invalid: z.array(z.object({ literal: z.string(), code: z.string() })).min(10),
    }),
  );
  const canonical = (text: string) => portable.canonicalize(portable.parseJson(text));

  it.each(valid)('have one text for $name', (one) => {
    expect(canonical(one.input)).toBe(one.canonical);
  });

  it.each(invalid)('refuse $name', (one) => {
    expect(() => canonical(one.input)).toThrow(expect.objectContaining({ code: one.code }));
  });

  it.each(numbers.valid)('write $literal as $canonical', (one) => {
    expect(canonical(one.literal)).toBe(one.canonical);
  });

  it.each(numbers.invalid.map((one, at) => ({ ...one, at })))('refuse literal $at', (one) => {
    expect(() => portable.canonicalNumber(one.literal)).toThrow(expect.objectContaining({ code: one.code }));
  });
});

describe('in a browser, hashes', () => {
  const Entry = z.object({
    name: z.string(),
    text: z.string().optional(),
    hex: z.string().optional(),
    repeat: z.number().optional(),
    sha256: z.string(),
  });
  const hashed = vectors(
    'sha256',
    z.object({ valid: z.array(Entry).min(5), invalid: z.array(Entry).min(1) }),
  );
  const args = vectors(
    'args-hash',
    z.object({
      valid: z
        .array(z.object({ name: z.string(), inputs: z.array(z.string()), args_hash: z.string() }))
        .min(5),
      invalid: refused,
    }),
  );
  const hashOf = ({ text = '', hex, repeat = 1 }: z.infer<typeof Entry>): string =>
    portable.sha256Hex(hex === undefined ? text.repeat(repeat) : new Uint8Array(Buffer.from(hex, 'hex')));

  it.each(hashed.valid)('are right for $name', (one) => {
    expect(hashOf(one)).toBe(one.sha256);
  });

  it.each(hashed.invalid)('are not the wrong one of $name', (one) => {
    expect(hashOf(one)).not.toBe(one.sha256);
  });

  it.each(args.valid)('of arguments do not depend on the spelling: $name', ({ inputs: texts, ...one }) => {
    for (const text of texts) expect(portable.argsHash(portable.parseJson(text))).toBe(one.args_hash);
  });

  it.each(args.invalid)('of arguments do not exist for $name', (one) => {
    expect(() => portable.argsHash(portable.parseJson(one.input))).toThrow(
      expect.objectContaining({ code: one.code }),
    );
  });
});

describe('in a browser, redaction', () => {
  const { valid, invalid } = vectors(
    'redaction',
    z.object({
      valid: z
        .array(
          z.object({
            name: z.string(),
            input: z.string().optional(),
            parts: z.array(z.string()).optional(),
            output: z.string(),
            count: z.number(),
          }),
        )
        .min(30),
      invalid: z.array(Texts).min(8),
    }),
  );

  it.each(valid)('hides $name', ({ input, parts, output, count }) => {
    expect({ ...portable.redact(input ?? parts?.join('') ?? '') }).toEqual({ text: output, count });
  });

  it.each(invalid)('leaves $name', ({ input }) => {
    expect(portable.redact(input).text).toBe(input);
  });

  it('cuts a preview between two characters', () => {
    expect(portable.previewOf('é'.repeat(10), 5)).toMatchObject({ text: 'éé', truncated: true });
  });
});

describe.each(Object.entries(schemasOf(portable)))('in a browser, the %s vectors', (name, schemas) => {
  const file = readVectors(name);
  const inContext = (value: unknown) => parse(JSON.stringify(value));
  const schemaOf = (kind: string): z.ZodType => schemas.get(kind) ?? z.never();

  it.each(file.valid)('$kind is accepted: $name', ({ kind, value, parsed }) => {
    const result = schemaOf(kind).safeParse(inContext(value));
    expect(result.error?.issues).toBeUndefined();
    expect(JSON.parse(JSON.stringify(result.data))).toEqual(parsed ?? value);
  });

  it.each(file.invalid)('$kind is refused: $name', ({ kind, value, at }) => {
    expect(complaints(schemaOf(kind), inContext(value))).toContain(at.join('.'));
  });
});

describe('in a browser, signed notes', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const text = 'log.example\n1\nAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=\n';
  const keys = {
    log: verifierKey('log.example', 'log', publicKey),
    cosignature: verifierKey('witness.example', 'cosignature', publicKey),
  };
  const note =
    `${text}\n${signNote(text, keys.log.name, privateKey, publicKey)}` +
    cosignNote(text, 1_679_315_147, keys.cosignature, privateKey);

  it.each([
    { role: 'log', timeS: null },
    { role: 'cosignature', timeS: 1_679_315_147 },
  ] as const)('name the bytes that a $role key signed', ({ role, timeS }) => {
    const key = portable.readKeyText(renderVerifierKey(keys[role]));
    const read = portable.readNote(note);
    if (key === undefined || read === undefined) throw new Error('not read');
    expect(portable.renderKeyText(key)).toBe(renderVerifierKey(keys[role]));
    const [claim, ...others] = portable.noteClaims(read, key);
    if (claim === undefined || claim === 'unreadable') throw new Error('no claim');
    expect(others).toHaveLength(0);
    expect(claim.timeS).toBe(timeS);
    const x = Buffer.from(key.raw).toString('base64url');
    const rawKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    const [message, signature] = [Buffer.from(claim.message), Buffer.from(claim.signature)];
    expect(verify(null, message, rawKey, signature)).toBe(true);
    message[0] = (message[0] ?? 0) ^ 1;
    expect(verify(null, message, rawKey, signature)).toBe(false);
  });

  it('of 72 bytes alone are cosignatures', () => {
    const key = portable.readKeyText(renderVerifierKey(keys.cosignature));
    const short = portable.readNote(
      `${text}\n${portable.signatureLine('witness.example', keys.cosignature.keyId, evaluate('new Uint8Array(71)') as Uint8Array)}`,
    );
    if (key === undefined || short === undefined) throw new Error('not read');
    expect([...portable.noteClaims(short, key)]).toEqual(['unreadable']);
  });
});
