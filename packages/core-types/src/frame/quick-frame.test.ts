import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalize } from '../json/canonicalize.js';
import { parseJson } from '../json/parse.js';
import type { JsonValue } from '../json/value.js';
import { payloadText, quickFrame } from './quick-frame.js';

const envelope = {
  id: 'AbCdEfGh00000001',
  timestamp: '2026-01-02T03:04:05.678Z',
  action: 'tool.call.begin',
  source: 'run_1',
  signature: 'a'.repeat(43),
};

const frameOf = (payload: string, id = envelope.id): string => {
  const { timestamp, action, source, signature } = envelope;
  return (
    `{"id":"${id}","timestamp":"${timestamp}","action":"${action}",` +
    `"payload":${payload},"source":"${source}","signature":"${signature}"}`
  );
};

const call = fc.record(
  {
    aaa: fc.nat(),
    args: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })),
    bytes_in: fc.nat(),
    call_id: fc.string(),
  },
  { requiredKeys: ['args', 'bytes_in', 'call_id'] },
);
/** So long that its arguments are written once. */
const longCall = fc.tuple(call, fc.constantFrom('x', '\n', 'é', '😀')).map(([payload, character]) => {
  const { aaa: _, ...fields } = payload;
  return { ...fields, args: { ...fields.args, long: character.repeat(9000) } };
});
const payloads = fc.oneof(
  fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 4 })),
  call,
  longCall,
);

/** The payload that the strict parser reads, written anew. */
function strictPayload(text: string): string {
  const frame = parseJson(text);
  if (typeof frame !== 'object' || frame === null || !('payload' in frame)) throw new Error('no payload');
  return canonicalize(frame.payload);
}

describe('a frame that is read quickly', () => {
  it('is what a client writes, and means what the strict parser reads', () => {
    let quickly = 0;
    fc.assert(
      fc.property(payloads, (payload) => {
        const canonical = canonicalize(payload);
        const quick = quickFrame(frameOf(canonical));
        // Only a payload with `args` behind another key is left to the strict parser.
        if (quick === undefined) expect(canonical).toMatch(/"args":.*"bytes_in":/s);
        else {
          quickly += 1;
          expect(quick.payload.text).toBe(canonical);
          expect(canonicalize(quick.value)).toBe(canonicalize(parseJson(frameOf(canonical))));
          if (quick.payload.args !== undefined) {
            expect(quick.payload.args).toBe(canonicalize(Reflect.get(payload, 'args')));
          }
        }
      }),
      { numRuns: 500 },
    );
    expect(quickly).toBeGreaterThan(400);
  });

  it('has the same text where that of its arguments is known already', () => {
    fc.assert(
      fc.property(longCall, fc.jsonValue(), (payload, speaks) => {
        const { args, text } = payloadText({ ...payload, speaks: speaks as JsonValue });
        expect(payloadText(payload, { args }).text).toBe(canonicalize(payload));
        expect(text).toBe(canonicalize({ ...payload, speaks }));
        expect(args).toBe(canonicalize(payload.args));
      }),
      { numRuns: 200 },
    );
  });

  it('is none that the strict parser refuses or reads in another way, whatever is changed in it', () => {
    fc.assert(
      fc.property(payloads, fc.nat(), fc.nat(3), fc.string({ maxLength: 3 }), (payload, from, cut, text) => {
        const whole = frameOf(canonicalize(payload));
        const at = from % whole.length;
        const changed = whole.slice(0, at) + text + whole.slice(at + cut);
        const quick = quickFrame(changed);
        if (quick === undefined) return;
        expect(canonicalize(quick.value)).toBe(canonicalize(parseJson(changed)));
        expect(quick.payload.text).toBe(strictPayload(changed));
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    ['a key in front of long arguments', '{"aaa":1,"args":{"a":"LONG"},"bytes_in":1}'],
    ['long arguments twice', '{"args":{"a":"LONG"},"args":{"a":"LONG"},"bytes_in":1}'],
    ['a key twice in long arguments', '{"args":{"a":"LONG","a":"LONG"},"bytes_in":1}'],
    ['long arguments behind another key', '{"bytes_in":1,"args":{"a":"LONG"}}'],
    ['minus zero in long arguments', '{"args":{"a":"LONG","b":-0},"bytes_in":1}'],
    ['a number without end in long arguments', '{"args":{"a":"LONG","b":1e400},"bytes_in":1}'],
    ['a key twice', '{"a":1,"a":1}'],
    ['keys out of order', '{"b":1,"a":2}'],
    ['a number that a double cannot hold', '{"a":9007199254740993}'],
    ['a number in a second spelling', '{"a":1.0}'],
    ['minus zero', '{"a":-0}'],
    ['an escape in a second spelling', String.raw`{"a":"\u0041"}`],
    ['half of a surrogate pair', String.raw`{"a":"\ud800"}`],
    ['a space', '{"a": 1}'],
    ['a payload that is no object', '[1]'],
    ['a member that no client writes', '{"a":1},"x":1'],
    ['a payload twice', '{"a":1},"payload":{"a":1}'],
  ])('has not %s', (_name, payload) => {
    expect(quickFrame(frameOf(payload.replaceAll('LONG', 'x'.repeat(9000))))).toBeUndefined();
  });

  it.each(['a"b', String.raw`a\u0041`, '', 'é'])('has no id like %j', (id) => {
    expect(quickFrame(frameOf('{}', id))).toBeUndefined();
  });

  it('keeps `__proto__` as a key like any other', () => {
    expect(quickFrame(frameOf('{"__proto__":{"a":1}}'))?.payload.text).toBe('{"__proto__":{"a":1}}');
  });

  it('is nested at most 64 levels deep, the frame counted', () => {
    const nested = (levels: number): string => frameOf(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);
    expect(quickFrame(nested(63))).toBeDefined();
    expect(() => quickFrame(nested(64))).toThrow(/deeper than 64/);
  });
});
