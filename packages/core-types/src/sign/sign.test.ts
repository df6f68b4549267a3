import { createSecretKey, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { sha256Hex } from '../hash/node.js';
import { parseJson } from '../json/parse.js';
import { clientProof, handshakeTranscript, serverProof } from './handshake.js';
import { decodeKey, deriveKey, deriveSession, encodeKey } from './keys.js';
import { macEquals, pushMac, requestMac, responseMac } from './macs.js';
import { signRequest, verifyRequest } from './request.js';

const seq = z.number();
const request = z.object({
  seq,
  id: z.string(),
  timestamp: z.string(),
  action: z.string(),
  payload: z.string(),
  mac: z.string(),
});
const response = z.object({
  seq,
  requestId: z.string(),
  requestMac: z.string(),
  timestamp: z.string(),
  status: z.string(),
  auditRef: z.string(),
  body: z.string(),
  mac: z.string(),
});
const handshake = z.object({
  v: z.number(),
  kind: z.string(),
  id: z.string(),
  epoch: z.number(),
  nc: z.string(),
  ledger_id: z.string(),
  ns: z.string(),
});
const vectorCase = z.object({
  name: z.string(),
  master: z.string(),
  handshake,
  key: z.string(),
  key_text: z.string(),
  transcript: z.string(),
  hs: z.string(),
  c2s: z.string(),
  s2c: z.string(),
  proof_s: z.string(),
  proof_c: z.string(),
  requests: z.array(request).min(1),
  responses: z.array(response),
  pushes: z.array(z.object({ seq, body: z.string(), mac: z.string() })),
});
const { valid, invalid } = z
  .object({
    valid: z.array(vectorCase).min(2),
    invalid: z.array(z.object({ name: z.string(), field: z.string(), value: z.unknown() })).min(8),
  })
  .parse(JSON.parse(readFileSync(new URL('../../../../vectors/handshake.json', import.meta.url), 'utf8')));

const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex');
const hex = (data: Uint8Array): string => Buffer.from(data).toString('hex');

describe.each(valid)('the handshake of $name', (vector) => {
  const { kind, id, epoch, ledger_id: ledgerId } = vector.handshake;
  const key = deriveKey(bytes(vector.master), ledgerId, kind, id, epoch);
  const transcript = handshakeTranscript(vector.handshake);
  const session = deriveSession(key, transcript);

  it('derives the key, the transcript and the session keys', () => {
    expect(hex(key)).toBe(vector.key);
    expect(encodeKey(key)).toBe(vector.key_text);
    expect(hex(decodeKey(vector.key_text))).toBe(vector.key);
    expect(hex(transcript)).toBe(vector.transcript);
    expect(hex(session.hs.export())).toBe(vector.hs);
    expect(hex(session.c2s.export())).toBe(vector.c2s);
    expect(hex(session.s2c.export())).toBe(vector.s2c);
  });

  it('proves both sides', () => {
    expect(serverProof(session.hs, transcript)).toBe(vector.proof_s);
    expect(clientProof(session.hs, transcript)).toBe(vector.proof_c);
  });

  it.each(vector.requests)(
    'signs request $seq, from its payload or its canonical text',
    ({ payload, mac, ...fields }) => {
      expect(requestMac(session.c2s, { ...fields, payload: parseJson(payload) })).toBe(mac);
      expect(requestMac(session.c2s, { ...fields, payloadCanonical: payload })).toBe(mac);
      expect(requestMac(bytes(vector.c2s), { ...fields, payloadCanonical: payload })).toBe(mac);
      expect(requestMac(session.c2s, { ...fields, payloadHash: sha256Hex(payload) })).toBe(mac);
    },
  );

  it.each(vector.responses)(
    'signs response $seq, from its parts or its canonical text',
    ({ body, mac, ...fields }) => {
      const parts = z.object({ data: z.unknown(), error: z.unknown() }).partial().parse(JSON.parse(body));
      expect(responseMac(session.s2c, { ...fields, ...parts })).toBe(mac);
      expect(responseMac(session.s2c, { ...fields, bodyCanonical: body })).toBe(mac);
    },
  );

  it.each(vector.pushes)('signs push $seq', ({ seq: place, body, mac }) => {
    expect(pushMac(session.s2c, { seq: place, body: parseJson(body) })).toBe(mac);
    expect(pushMac(session.s2c, { seq: place, bodyCanonical: body })).toBe(mac);
  });
});

describe('a request of the vectors', () => {
  const [first] = valid;
  const genuine = first?.requests[0];
  if (first === undefined || genuine === undefined) throw new Error('no vector');
  const key = createSecretKey(bytes(first.c2s));
  const verifies = (changed: z.infer<typeof request>): boolean =>
    verifyRequest(key, changed.seq, {
      ...changed,
      payload: parseJson(changed.payload),
      signature: changed.mac,
    });

  it('verifies unchanged', () => {
    expect(verifies(genuine)).toBe(true);
  });

  it.each(invalid)('does not verify with $name', ({ field, value }) => {
    expect(Object.keys(genuine)).toContain(field);
    expect(verifies(request.parse({ ...genuine, [field]: value }))).toBe(false);
  });
});

describe('signRequest and verifyRequest', () => {
  const key = createSecretKey(randomBytes(32));
  const plain = {
    id: 'req_12345678',
    timestamp: '2026-01-02T03:04:05.678Z',
    action: 'run.read',
    payload: { a: [1] },
  };
  const signed = signRequest(key, 1, plain);

  it('accept what was signed, whatever the order of keys', () => {
    expect(verifyRequest(key, 1, signed)).toBe(true);
    expect(verifyRequest(key, 1, { ...signed, payload: parseJson('{"a":[1.0]}') })).toBe(true);
  });

  it.each([
    ['payload', { ...signed, payload: { a: [2] } }],
    ['timestamp', { ...signed, timestamp: '2026-01-02T03:04:05.679Z' }],
    ['action', { ...signed, action: 'run.end' }],
    ['id', { ...signed, id: 'req_12345679' }],
    ['signature', { ...signed, signature: signRequest(key, 2, plain).signature }],
    ['signature type', { ...signed, signature: 1 }],
    ['payload without canonical form', { ...signed, payload: { a: Number.NaN } }],
    ['field with a separator', { ...signed, id: 'a|b' }],
  ])('reject another %s', (_, changed) => {
    expect(verifyRequest(key, 1, changed)).toBe(false);
  });

  it('reject another key and another place', () => {
    expect(verifyRequest(createSecretKey(randomBytes(32)), 1, signed)).toBe(false);
    expect(verifyRequest(key, 2, signed)).toBe(false);
    expect(verifyRequest(key, Number.NaN, signed)).toBe(false);
  });
});

describe('signing', () => {
  const key = randomBytes(32);
  const fields = { seq: 1, id: 'a', timestamp: 'b', action: 'c', payload: {} };

  it('refuses fields that would make two messages one text', () => {
    for (const change of [{ id: 'a|b' }, { timestamp: '|' }, { action: 'x|' }]) {
      expect(() => requestMac(key, { ...fields, ...change })).toThrow(
        expect.objectContaining({ code: 'bad_signature' }),
      );
    }
  });

  it.each([0, -1, 1.5, Number.NaN, 2 ** 53])('refuses the place %d', (place) => {
    expect(() => requestMac(key, { ...fields, seq: place })).toThrow(
      expect.objectContaining({ code: 'bad_signature' }),
    );
  });

  it('keeps directions and kinds of message apart', () => {
    const push = pushMac(key, { seq: 1, body: {} });
    expect(requestMac(key, fields)).not.toBe(push);
    expect(serverProof(createSecretKey(key), key)).not.toBe(clientProof(createSecretKey(key), key));
  });

  it('joins derivation fields without ambiguity', () => {
    expect(hex(deriveKey(key, 'l', 'run', 'a', 1))).not.toBe(hex(deriveKey(key, 'l', 'runa', '', 1)));
    expect(hex(deriveKey(key, 'l', 'run', 'a1', 0))).not.toBe(hex(deriveKey(key, 'l', 'run', 'a', 10)));
    expect(hex(deriveKey(key, 'l', 'run', 'a', 1))).not.toBe(hex(deriveKey(key, 'l', 'run', 'a', 2)));
  });

  it('refuses derivations from names that are too long and from epochs that are no numbers', () => {
    expect(() => deriveKey(key, 'l', 'run', 'x'.repeat(129), 0)).toThrow(
      expect.objectContaining({ code: 'handshake_refused' }),
    );
    expect(() => deriveKey(key, 'l', 'run', 'x', -1)).toThrow(
      expect.objectContaining({ code: 'handshake_refused' }),
    );
    expect(() => deriveKey(key.subarray(1), 'l', 'run', 'x', 0)).toThrow(RangeError);
  });

  it.each(['', 'short', 'A'.repeat(44), `${'A'.repeat(42)}=`, `${'A'.repeat(42)}+`])(
    'reads no key from `%s`',
    (text) => {
      expect(() => decodeKey(text)).toThrow(expect.objectContaining({ code: 'key_missing' }));
    },
  );

  it('compares signatures exactly', () => {
    const mac = 'A'.repeat(43);
    expect(macEquals(mac, mac)).toBe(true);
    for (const wrong of [
      'A'.repeat(42),
      `${mac}A`,
      `${'A'.repeat(42)}B`,
      `${'A'.repeat(42)}\u0141`,
      '',
      undefined,
      null,
      1,
      [mac],
    ]) {
      expect(macEquals(wrong, mac)).toBe(false);
    }
    expect(macEquals('', '')).toBe(false);
  });
});
