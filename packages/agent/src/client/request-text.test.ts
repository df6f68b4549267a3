import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalize, isJsonObject, type JsonObject, parseJson } from '@subluminal/core-types';
import { type CallEnd, type ToolCall, UninspectedArgs } from './contract.js';
import { beginText, endText } from './request-text.js';

const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });
const object = fc.dictionary(name, fc.jsonValue({ maxDepth: 3 })).map((value): JsonObject => {
  const read = parseJson(JSON.stringify(value));
  return isJsonObject(read) ? read : {};
});
const args = fc.oneof(
  object,
  fc
    .tuple(name, fc.nat(), fc.option(fc.array(name), { nil: undefined }))
    .map(([hash, bytes, keys]) => new UninspectedArgs(hash, bytes, keys)),
);
const call: fc.Arbitrary<ToolCall> = fc.record({
  server_name: name,
  tool_name: name,
  args,
  bytes_in: fc.nat(),
  transport: fc.constant('mcp_stdio' as const),
  call_context: fc.option(object, { nil: undefined }),
  continues: fc.option(name, { nil: undefined }),
});
const end: fc.Arbitrary<CallEnd> = fc.record(
  {
    status: fc.constantFrom('OK', 'ERROR', 'TIMEOUT', 'CANCELLED'),
    latency_ms: fc.nat(),
    bytes_out: fc.nat(),
    result_stream_hash: name,
    asks_input: fc.constant(true as const),
    preview: fc.record(
      { truncated: fc.boolean(), result_preview: fc.string({ unit: 'grapheme' }) },
      { requiredKeys: ['truncated'] },
    ),
    error: fc.record(
      {
        class: fc.constant('upstream_error' as const),
        message: name,
        code: fc.oneof(name, fc.integer()),
        retryable: fc.boolean(),
      },
      { requiredKeys: ['class', 'message'] },
    ),
  },
  { requiredKeys: ['status', 'latency_ms', 'bytes_out', 'preview'] },
);

test('the end of a call is written as its canonical json', () => {
  fc.assert(
    fc.property(name, end, (callId, value) => {
      expect(endText(callId, value)).toBe(canonicalize({ ...value, call_id: callId }));
    }),
    { numRuns: 300 },
  );
});

test('a call with what ended before it is written as its canonical json', () => {
  fc.assert(
    fc.property(call, fc.array(end, { maxLength: 3 }), name, (asked, ended, id) => {
      const ends = ended.map((value) => endText(id, value));
      const { args: given, call_context: context, continues, ...rest } = asked;
      const uninspected =
        given instanceof UninspectedArgs
          ? {
              stream_hash: given.streamHash,
              bytes: given.bytes,
              ...(given.argKeys === undefined ? {} : { arg_keys: given.argKeys }),
            }
          : undefined;
      expect(beginText(asked, { callId: id, shimId: 'shim', ends })).toBe(
        canonicalize({
          ...rest,
          call_id: id,
          shim_id: 'shim',
          ...(uninspected === undefined ? { args: given } : { uninspected }),
          ...(context === undefined ? {} : { context }),
          ...(continues === undefined ? {} : { continues }),
          ...(ends.length === 0 ? {} : { ends: ended.map((value) => ({ ...value, call_id: id })) }),
        }),
      );
    }),
    { numRuns: 300 },
  );
});

test('what has no canonical form is not written', () => {
  const half: CallEnd = { status: 'OK', latency_ms: 0, bytes_out: 0, preview: { truncated: false } };
  expect(() => endText('\ud800', half)).toThrow('canonical');
});
