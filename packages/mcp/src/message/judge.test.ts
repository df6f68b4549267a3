import { describe, expect, test } from 'vitest';
import { Judge } from './judge.js';

const judge = (line: string | Buffer) => new Judge().judge(Buffer.from(line));

describe('a message that means the same to every reader', () => {
  test.each([
    ['{"jsonrpc":"2.0","id":1,"method":"ping"}', 'request'],
    ['{"jsonrpc":"2.0","id":0,"method":"ping"}', 'request'],
    ['{"jsonrpc":"2.0","id":"","method":"ping"}', 'request'],
    ['{ "jsonrpc" : "2.0", "id" : 1.0 , "method":"ping" }\r', 'request'],
    ['{"method":"\\u0070ing","id":1,"jsonrpc":"2.0","params":{"a":1e2}}', 'request'],
    ['{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}', 'request'],
    ['{"jsonrpc":"2.0","method":"notifications/initialized"}', 'notification'],
    ['{"jsonrpc":"2.0","id":1,"result":null}', 'answer'],
    ['{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}', 'answer'],
    ['{"jsonrpc":"2.0","id":1,"method":"x","extra":true,"params":{"a":"__proto__"}}', 'request'],
    ['{"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"__proto__":{"a":1}}}}', 'answer'],
  ])('passes: %s', (line, type) => {
    expect(judge(line)).toMatchObject({ type });
  });
});

describe('what cannot be judged is refused', () => {
  test.each([
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', 'batch'],
    ['an empty batch', '[]', 'batch'],
    ['a text', '"tools/call"', 'wrong_type'],
    ['no json', '{"jsonrpc":"2.0","id":1,"method":"ping"', 'invalid_json'],
    ['two values', '{"jsonrpc":"2.0","id":1,"method":"ping"}{}', 'invalid_json'],
    ['single quotes', "{'jsonrpc':'2.0'}", 'invalid_json'],
    ['a comment', '{"jsonrpc":"2.0","id":1,"method":"ping"/*x*/}', 'invalid_json'],
    ['NaN', '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":NaN}}', 'invalid_json'],
    ['a byte order mark', '\ufeff{"jsonrpc":"2.0","id":1,"method":"ping"}', 'invalid_json'],
    ['a second method', '{"jsonrpc":"2.0","id":1,"method":"tools/call","method":"ping"}', 'ambiguous'],
    ['a second id', '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', 'ambiguous'],
    [
      'a second key far inside',
      '{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":[{"b":1,"b":2}]}}',
      'ambiguous',
    ],
    ['a second key, escaped', '{"jsonrpc":"2.0","id":1,"method":"x","\\u006dethod":"y"}', 'ambiguous'],
    ['METHOD', '{"jsonrpc":"2.0","id":1,"method":"ping","METHOD":"tools/call"}', 'ambiguous'],
    ['Params', '{"jsonrpc":"2.0","id":1,"method":"tools/call","Params":{}}', 'ambiguous'],
    ['params with a long s', '{"jsonrpc":"2.0","id":1,"method":"x","paramſ":{}}', 'ambiguous'],
    ['a lone surrogate', '{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":"\\ud800"}}', 'ambiguous'],
    ['`__proto__` beside the method', '{"jsonrpc":"2.0","id":1,"method":"ping","__proto__":{}}', 'ambiguous'],
    [
      '`__proto__` among the params, escaped',
      '{"jsonrpc":"2.0","id":1,"method":"x","params":{"\\u005f_proto__":{}}}',
      'ambiguous',
    ],
    [
      '`__proto__` far inside',
      '{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":[{"b":{"__proto__":1}}]}}',
      'ambiguous',
    ],
    [
      '`__proto__` in a notification',
      '{"jsonrpc":"2.0","method":"x","params":{"__proto__":{}}}',
      'ambiguous',
    ],
    ['a carriage return inside', '{"jsonrpc":"2.0",\r"id":1,"method":"ping"}', 'ambiguous'],
    ['a request and an answer', '{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}', 'ambiguous'],
    ['result and error', '{"jsonrpc":"2.0","id":1,"result":{},"error":{}}', 'wrong_type'],
    ['neither method nor result', '{"jsonrpc":"2.0","id":1}', 'wrong_type'],
    ['another version', '{"jsonrpc":"1.0","id":1,"method":"ping"}', 'wrong_type'],
    ['no version', '{"id":1,"method":"ping"}', 'wrong_type'],
    ['a method that is no text', '{"jsonrpc":"2.0","id":1,"method":["ping"]}', 'wrong_type'],
    ['params in a list', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["a"]}', 'wrong_type'],
    ['params that are null', '{"jsonrpc":"2.0","id":1,"method":"ping","params":null}', 'wrong_type'],
    ['an id that is null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', 'wrong_type'],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}', 'wrong_type'],
    [
      'an answer to nobody',
      '{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}',
      'unsolicited_answer',
    ],
  ])('%s', (_name, line, reason) => {
    expect(judge(line)).toMatchObject({ type: 'refused', reason });
  });

  test('invalid utf-8, also where JSON.parse would repair it', () => {
    const line = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":"?"}}');
    line[line.indexOf(0x3f)] = 0xff;
    expect(judge(line)).toMatchObject({ type: 'refused', reason: 'invalid_utf8' });
  });

  test('but json that is nested too deep is left to the scanner', () => {
    const deep = `{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":${'['.repeat(63)}${']'.repeat(63)}}}`;
    expect(judge(deep)).toEqual({ type: 'deep' });
  });

  test('and so is json with more members than a request of the gateway may have', () => {
    const members = Array.from({ length: 60_100 }, (_, n) => `"${n}":1`).join(',');
    expect(judge(`{"jsonrpc":"2.0","id":1,"method":"x","params":{${members}}}`)).toEqual({ type: 'deep' });
  });
});

describe('whoever waits is named', () => {
  test('a refused request by its id', () => {
    expect(judge('{"jsonrpc":"2.0","id":"a","method":"x","method":"y"}')).toMatchObject({
      ids: [{ key: 'sa', text: '"a"' }],
      answers: [],
    });
    expect(judge('[{"id":1,"method":"a"},{"method":"b"},{"id":2,"method":"c"}]')).toMatchObject({
      ids: [{ text: '1' }, { text: '2' }],
    });
  });

  test('a refused answer by the id of its request', () => {
    expect(judge('{"jsonrpc":"2.0","id":5,"result":{"a":1,"a":2}}')).toMatchObject({
      ids: [],
      answers: [{ key: 'n5', text: '5' }],
    });
  });
});

test('ids are told apart by type and value, not by spelling', () => {
  const keyOf = (id: string) => {
    const judged = judge(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
    return judged.type === 'request' ? judged.id.key : judged.type;
  };
  expect(keyOf('1.0')).toBe(keyOf('1'));
  expect(keyOf('1e0')).toBe(keyOf('1'));
  expect(keyOf('"1"')).not.toBe(keyOf('1'));
  expect(keyOf('9007199254740993')).not.toBe(keyOf('9007199254740992'));
  expect(keyOf('-0')).toBe(keyOf('0'));
});

test.each([
  ['a number that is too long', '9'.repeat(1100)],
  ['a number that a double rounds', '9007199254740993'],
  ['a number that no double holds', '1e400'],
])('%s is not answered as the id of what it stands in', (_name, id) => {
  const refusal = judge(`{"jsonrpc":"2.0","id":${id},"method":"ping","method":"ping"}`);
  expect(refusal).toMatchObject({ type: 'refused', ids: [] });
});
