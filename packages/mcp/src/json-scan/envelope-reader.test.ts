import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Judge } from '../message/judge.js';
import type { Message, Refusal } from '../message/message.js';
import { EnvelopeReader } from './envelope-reader.js';

function read(text: string | Buffer, size = 7): Message | Refusal {
  const bytes = Buffer.from(text);
  const reader = new EnvelopeReader();
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
  return reader.finish();
}

/** A request with `extra` behind a megabyte of argument. */
function large(extra: string, method = 'tools/call'): string {
  const args = `{"text":"${'x'.repeat(1_200_000)}","path":"/tmp"}`;
  return `{"jsonrpc":"2.0","id":7,"method":"${method}","params":{"name":"write","arguments":${args}${extra}`;
}

describe('a message of any size', () => {
  test('gives the envelope of a tool call and the keys of its arguments', () => {
    expect(read(large('}}'), 65_536)).toEqual({
      type: 'request',
      id: { key: 'n7', text: '7' },
      method: 'tools/call',
      params: {
        inspected: false,
        name: 'write',
        argumentsAre: 'object',
        argumentKeys: ['text', 'path'],
        keys: ['name', 'arguments'],
      },
    });
  });

  test.each([
    ['a second method', '},"method":"ping"}'],
    ['a second method, escaped', '},"\\u006dethod":"ping"}'],
    ['a method in other letters', '},"Method":"ping"}'],
    ['a second id', '},"id":8}'],
    ['a second name', ',"name":"read"}}'],
    ['a name in other letters', ',"NAME":"read"}}'],
    ['second arguments', ',"arguments":{}}}'],
    ['arguments in other letters', ',"Arguments":{}}}'],
    ['second params', '},"params":{}}'],
    ['params with a long s', '},"paramſ":{}}'],
    ['`__proto__` around its params', '},"__proto__":{}}'],
    ['`__proto__` among its params', ',"__proto__":{}}}'],
    ['`__proto__` far inside of its params', ',"_meta":{"a":[{"b":{"c":{"\\u005f_proto__":1}}}]}}}'],
    ['a name with a space behind it', ',"name ":"read"}}'],
    ['an answer as well', '},"result":{}}'],
    ['any key twice in its params', ',"_meta":{},"_meta":{}}}'],
  ])('with %s behind a megabyte is ambiguous', (_name, extra) => {
    expect(read(large(extra), 65_536)).toMatchObject({ type: 'refused', reason: 'ambiguous' });
  });

  test('with an argument key twice is ambiguous', () => {
    const text =
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"p":1,"p":2}}}';
    expect(read(text)).toMatchObject({ type: 'refused', reason: 'ambiguous', ids: [{ text: '1' }] });
  });

  test('with anything behind its end is not json', () => {
    expect(read(large('}} {}'), 65_536)).toMatchObject({ type: 'refused', reason: 'invalid_json' });
    expect(read(large('}'), 65_536)).toMatchObject({ type: 'refused', reason: 'invalid_json' });
  });

  test.each(['path\\u0000', 'force\u200b', '\uff50ath', '%70ath', 'path ', 'path[]', '__proto__'])(
    'with the argument %j is ambiguous',
    (name) => {
      const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"${name}":1}}}`;
      expect(read(text)).toMatchObject({ type: 'refused', reason: 'ambiguous', ids: [{ text: '1' }] });
    },
  );

  test.each([
    ['"result":{"inputRequests\\u0000', '":{}}'],
    ['"error":{"code":1,"message":"","data":{"subluminal\\u0000', '":{}}}'],
  ])('that is an answer whose key is too long to be told is ambiguous: %s', (before, after) => {
    const text = `{"jsonrpc":"2.0","id":1,${before}${'x'.repeat(5000)}${after}}`;
    expect(read(text)).toMatchObject({ type: 'refused', reason: 'ambiguous', answers: [{ text: '1' }] });
  });

  test('that is an answer may have any key in its content, however long', () => {
    const content = `{"${'k'.repeat(5000)}":1,"a b[1]":{"__proto__":1}}`;
    expect(read(`{"jsonrpc":"2.0","id":1,"result":{"structuredContent":${content}}}`)).toMatchObject({
      type: 'answer',
    });
    expect(read('{"jsonrpc":"2.0","id":1,"result":{"__proto__":{}}}')).toMatchObject({ type: 'refused' });
  });

  test('does not take keys inside of arguments or arrays for its own', () => {
    const text =
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"name":"b","method":"c",' +
      '"list":[{"name":"d","arguments":1}],"deep":{"params":{"name":"e"}}},"_meta":[{"name":"f"}]}}';
    expect(read(text)).toMatchObject({
      type: 'request',
      params: { name: 'a', argumentsAre: 'object', argumentKeys: ['name', 'method', 'list', 'deep'] },
    });
  });

  test('does not list argument keys that are too many or too long', () => {
    const withKeys = (keys: string[]) =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{${keys.map((key) => `"${key}":1`).join()}}}}`;
    const many = Array.from({ length: 257 }, (_, n) => `k${n}`);
    expect(read(withKeys(many.slice(1)))).toMatchObject({ params: { argumentKeys: many.slice(1) } });
    expect(read(withKeys(many))).toMatchObject({ params: { argumentKeys: undefined } });
    expect(read(withKeys(['x'.repeat(257)]))).toMatchObject({ params: { argumentKeys: undefined } });
  });

  test('with the name of an argument that is too long to be judged is ambiguous', () => {
    const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"path${'x'.repeat(4096)}":1}}}`;
    expect(read(text)).toMatchObject({ type: 'refused', reason: 'ambiguous', ids: [{ text: '1' }] });
  });

  test('tells an error that uses what is reserved for a gateway', () => {
    const error = (content: string) => read(`{"jsonrpc":"2.0","id":"a","error":{${content}}}`);
    expect(error('"code":-32081,"message":""')).toMatchObject({ outcome: { kind: 'error', forged: true } });
    expect(error('"code":-32.084e3,"message":""')).toMatchObject({ outcome: { forged: true } });
    expect(error('"code":-1,"data":{"subluminal":{}}')).toMatchObject({ outcome: { forged: true } });
    expect(error('"code":-1,"data":{"x":{"subluminal":{}}}')).toMatchObject({ outcome: { forged: false } });
  });

  test('that is a batch or no object is refused', () => {
    expect(read(`[${large('}}')}]`, 65_536)).toMatchObject({ type: 'refused', reason: 'batch' });
    expect(read('"text"')).toMatchObject({ type: 'refused', reason: 'wrong_type' });
    expect(read('')).toMatchObject({ type: 'refused', reason: 'invalid_json' });
  });
});

test('small messages are read as the judge reads them', () => {
  const id = fc.oneof(fc.integer(), fc.string({ maxLength: 5 }), fc.constantFrom(null, true, undefined));
  const method = fc.constantFrom('tools/call', 'ping', 'notifications/progress', 'x', 7, undefined);
  const params = fc.oneof(
    fc.constantFrom(undefined, null, [], 'text'),
    fc.record({
      name: fc.constantFrom('a', '', 1, undefined),
      arguments: fc.constantFrom({ k: 1 }, [], undefined),
      Name: fc.constantFrom(undefined, undefined, undefined, 'b'),
    }),
  );
  const message = fc.record({
    jsonrpc: fc.constantFrom('2.0', '2.0', '2.0', '1.0', undefined),
    id,
    method,
    params,
    result: fc.constantFrom(undefined, undefined, { ok: true }, 1),
    error: fc.constantFrom(undefined, undefined, { code: 1, message: 'm' }),
    Id: fc.constantFrom(undefined, undefined, undefined, undefined, 3),
  });
  fc.assert(
    fc.property(message, fc.integer({ min: 1, max: 20 }), (value, size) => {
      const text = JSON.stringify(value);
      const judged = new Judge().judge(Buffer.from(text));
      const scanned = read(text, size);
      // The variants of tool call keys are refused when the call is classified; the reader sees them already
      // here.
      if (scanned.type === 'refused' && text.includes('"Name"') && scanned.reason === 'ambiguous') return;
      expect(scanned.type).toBe(judged.type);
      if (judged.type === 'refused' && scanned.type === 'refused') {
        expect({ ids: scanned.ids, answers: scanned.answers }).toEqual({
          ids: judged.ids,
          answers: judged.answers,
        });
      } else if (judged.type === 'request' && scanned.type === 'request') {
        expect([scanned.id, scanned.method]).toEqual([judged.id, judged.method]);
      } else if (judged.type === 'answer' && scanned.type === 'answer') {
        expect([scanned.id, scanned.outcome.kind]).toEqual([judged.id, judged.outcome.kind]);
      }
    }),
    { numRuns: 3000 },
  );
});

test.each([
  ['has no canonical form that is short enough', '9'.repeat(1024)],
  ['is longer than any number', '9'.repeat(1025)],
  ['is longer than any text', `"${'i'.repeat(5000)}"`],
])('an id that %s is refused, in requests and in answers', (_name, id) => {
  expect(read(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`)).toMatchObject({ type: 'refused', ids: [] });
  expect(read(`{"jsonrpc":"2.0","id":${id},"result":{}}`)).toMatchObject({ type: 'refused', answers: [] });
});
