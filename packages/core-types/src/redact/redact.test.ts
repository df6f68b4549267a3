import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { previewOf } from './preview.js';
import { redact } from './redact.js';

const isLong = process.env['SUB_LONG'] !== undefined;

const { valid, invalid } = z
  .object({
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
    invalid: z.array(z.object({ name: z.string(), input: z.string() })).min(8),
  })
  .parse(JSON.parse(readFileSync(new URL('../../../../vectors/redaction.json', import.meta.url), 'utf8')));

const LONE_SURROGATE = /\p{Surrogate}/u;

/** Text that makes a careless scanner read again what it has read. */
const hostile = [
  'eyJ',
  'eyJa.',
  'a://',
  'a://b:c/',
  'a://x:y@',
  '://',
  'password',
  'password=',
  'password:"',
  '"',
  '\\"',
  '\\',
  '--',
  '--password ',
  '-----BEGIN PRIVATE KEY',
  '-----BEGIN PRIVATE KEY-----',
  'bearer ',
  'basic aaaaaaaaaaa',
  '=',
  ' =',
  ':',
  'Cookie: "',
  'Cookie: \\',
  'token:[',
  'token:{"',
  '{',
  'sk-',
  'AKIA',
  '@',
  'secret: |\n ',
  '<token>',
];

describe('redact', () => {
  it.each(valid)('takes out $name', ({ input, parts, output, count }) => {
    expect(redact(input ?? parts?.join('') ?? '')).toEqual({ text: output, count });
  });

  it.each(invalid)('leaves $name alone', ({ input }) => {
    expect(redact(input).text).toBe(input);
  });

  it.each(hostile)('reads a mebibyte of `%s` in linear time', (unit) => {
    const text = unit.repeat(Math.ceil(2 ** 20 / unit.length));
    expect(redact(text).text.length).toBeGreaterThan(0);
  });

  it.each(['password={', 'password=[', 'password={"', 'Cookie: '])(
    'reads a mebibyte of backslashes behind `%s` in linear time',
    (opening) => {
      expect(redact(`${opening}${'\\'.repeat(2 ** 20)}a`).count).toBeGreaterThan(0);
    },
  );

  it('reads a mebibyte of space between a name and its value', () => {
    const space = ' '.repeat(2 ** 20);
    expect(redact(`password:${space}hunter2`).text).toBe(`password:${space}[REDACTED]`);
  });

  it('hides the value of a JSON field whatever the value holds', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (secret) => {
        const text = JSON.stringify({ a: 1, password: secret, z: [2] });
        expect(redact(text).text).toBe('{"a":1,"password":"[REDACTED]","z":[2]}');
        const nested = JSON.stringify({ body: text });
        expect(redact(nested).text).toBe(JSON.stringify({ body: '{"a":1,"password":"[REDACTED]","z":[2]}' }));
      }),
      { numRuns: isLong ? 5000 : 200 },
    );
  });

  it('changes nothing more when it runs again', () => {
    const pieces = fc.constantFrom(
      'password',
      'token',
      '=',
      ':',
      ' ',
      '"',
      "'",
      '\\',
      '{',
      '}',
      '[',
      ']',
      ',',
      '\n',
      'Cookie: ',
      'Bearer ',
      'abc123',
      'https://',
      '@',
      '/',
      '--',
      ';',
      'null',
      '-----BEGIN PRIVATE KEY-----',
      'sk-',
      'x'.repeat(30),
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 14 }), (parts) => {
        const once = redact(parts.join('')).text;
        expect(redact(once).text).toBe(once);
      }),
      { numRuns: isLong ? 20_000 : 700 },
    );
  });
});

describe('previewOf', () => {
  it('shows a short text whole', () => {
    expect(previewOf('hello')).toEqual({ text: 'hello', truncated: false, redactions: 0 });
    expect(previewOf('x'.repeat(16_384))).toMatchObject({ truncated: false });
    expect(previewOf('x'.repeat(16_385))).toMatchObject({ truncated: true, text: 'x'.repeat(16_384) });
  });

  it('redacts first and cuts then', () => {
    expect(previewOf('password=hunter2 rest', 24)).toEqual({
      text: 'password=[REDACTED] rest',
      truncated: false,
      redactions: 1,
    });
  });

  it('cuts between characters, in bytes', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 60 }),
        fc.integer({ min: 1, max: 80 }),
        (text, max) => {
          const preview = previewOf(text, max);
          expect(Buffer.byteLength(preview.text)).toBeLessThanOrEqual(max);
          expect(preview.text).not.toMatch(LONE_SURROGATE);
          fc.pre(preview.redactions === 0);
          expect(text.slice(0, preview.text.length)).toBe(preview.text);
          expect(preview.truncated).toBe(preview.text.length < text.length);
        },
      ),
      { numRuns: isLong ? 5000 : 200 },
    );
  });

  it('does not show half a character where redaction made room for it', () => {
    expect(previewOf(`token=${'Z'.repeat(20)} aa\u{1f600}`, 30)).toEqual({
      text: 'token=[REDACTED] aa',
      truncated: true,
      redactions: 1,
    });
  });

  it('is well-formed even where the text is not', () => {
    expect(previewOf('a\ud800b').text).toBe('a\ufffdb');
  });

  const carriers: readonly ((secret: string) => string)[] = [
    (secret) => `{"password":"${secret}"}`,
    (secret) => `password=${secret}`,
    (secret) => `Cookie: a=${secret}; b=${secret}\n`,
    (secret) => `Bearer ${secret}`,
    (secret) => `ghp_${secret}`,
    (secret) => `subr_01M7XG9EYXMZAWNEQHQZX4ZYPH_${secret}${'x'.repeat(43)}`,
    (secret) => `eyJ${secret}.${secret}.${secret}`,
    (secret) => `postgres://user:${secret}@host/db`,
    (secret) => `https://${secret}@host/db`,
    (secret) => `-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----`,
    (secret) => `--token ${secret}`,
  ];

  it('shows no part of a secret, wherever the border falls', () => {
    const max = 64;
    fc.assert(
      fc.property(
        fc.constantFrom(...carriers),
        fc.nat({ max: 80 }),
        fc.constantFrom(36, 200, 2100, 5000),
        fc.nat({ max: 3000 }),
        (carrier, before, length, after) => {
          const preview = previewOf(
            `${'. '.repeat(before / 2)}${carrier('Z9'.repeat(length / 2))}${' .'.repeat(after)}`,
            max,
          );
          expect(preview.text).not.toContain('Z');
        },
      ),
      { numRuns: isLong ? 20_000 : 700 },
    );
  });

  it('does not read a long text to its end', () => {
    const text = 'a=b '.repeat(2_000_000);
    expect(previewOf(text, 100)).toMatchObject({ truncated: true, text: text.slice(0, 100) });
  });
});

describe('a secret whose name or quotes stand elsewhere', () => {
  const secret = 'S3cr3tV4lueXyz987';

  it.each([
    JSON.stringify({ headers: [{ name: 'Authorization', value: secret }] }),
    JSON.stringify({ a: JSON.stringify({ env: [{ name: 'DB_PASSWORD', value: secret }] }) }),
    JSON.stringify({ key: 'X-Api-Key', value: secret }),
    JSON.stringify({ headers: [['X-Api-Key', secret]] }, null, 2),
    JSON.stringify({ a: JSON.stringify([['Cookie', secret]]) }),
    `<add key="Password" value="${secret}"/>`,
    `<input type="password" value="${secret}">`,
    `Content-Disposition: form-data; name="password"\r\n\r\n${secret}\r\n--b`,
    `{"a":"{\\u0022password\\u0022: \\u0022${secret}\\u0022}"}`,
    `https://h/?u=a%26password%3D${secret}%26x=1`,
    `https://h/?next=%252F%253Faccess_token%253D${secret}`,
    `curl -u user:${secret} https://x`,
    JSON.stringify(['curl', '--user', `user:${secret}`]),
    `setx API_TOKEN ${secret}`,
    `machine h login u password ${secret}`,
    `ALTER USER x WITH PASSWORD '${secret}'`,
    `CREATE USER x IDENTIFIED BY '${secret}'`,
    JSON.stringify({ text: `password:\t${secret}` }),
    `DefaultEndpointsProtocol=https;AccountKey=${secret}==;EndpointSuffix=x`,
    `https://h/?X-Amz-Signature=${secret}&x=1`,
    `https://h/?sv=1&sig=${secret}`,
    `https://hooks.slack.com/services/T00000000/B00000000/${secret}`,
    `"https:\\/\\/x", https://discord.com/api/webhooks/123/${secret}`,
    JSON.stringify({ 'Ocp-Apim-Subscription-Key': secret }),
    JSON.stringify({ bearer: secret, mnemonic: secret, ssh_key: secret }),
  ])('is redacted: %s', (text) => {
    expect(redact(text).text).not.toContain(secret);
    expect(redact(text).count).toBeGreaterThan(0);
  });

  it.each([
    JSON.stringify({ name: 'path', value: '/tmp/x' }),
    JSON.stringify({ columns: ['password', 'email', 'id'] }),
    JSON.stringify([['Content-Type', 'text/plain']]),
    JSON.stringify({ type: 'password', required: true }),
    'docker run -u root image',
    'the password is required',
    'https://h/?next=%2Fhome%3Dx',
  ])('is not seen where there is none: %s', (text) => {
    expect(redact(text)).toEqual({ text, count: 0 });
  });

  it('costs time in proportion to the text', () => {
    for (const piece of [
      'name="password" value=[',
      '["token",\'',
      'token%3D',
      '-u a:',
      '\\u0022',
      'a\\u0022:\\u0022',
    ]) {
      expect(redact(piece.repeat(100_000)).text.length).toBeGreaterThan(0);
    }
  });
});
