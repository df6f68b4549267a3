import { canonicalize, parseJson, sha256Hex, type JsonObject, type JsonValue } from '@subluminal/core-types';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Outcome, Params } from '../message/message.js';
import { clientHashOf, listRequestOf, listResultOf, withoutTools, type ListResult } from './tool-list.js';

const FIRST = { cursor: undefined, apart: false };
const ID = { key: '1', text: '1' };

const result = (value: JsonValue | undefined): Outcome => ({ kind: 'result', value, asksInput: false });
const read = (value: JsonValue | undefined): ListResult | string =>
  listResultOf(FIRST, { outcome: result(value), epoch: 3, maxBytes: 1000 });
const asked = (params: JsonObject): Params => ({ inspected: true, value: params });

function pageOf(value: JsonValue): ListResult {
  const found = read(value);
  if (typeof found === 'string') throw new Error(found);
  return found;
}

describe('a request for a page', () => {
  test('is for the first one where it has no cursor, or one that clients take for none', () => {
    for (const params of [{}, { cursor: null }, { cursor: '' }, { other: 1 }]) {
      expect(listRequestOf(asked(params))).toEqual(FIRST);
    }
    expect(listRequestOf({ inspected: true, value: undefined })).toEqual(FIRST);
  });

  test('goes on with the hash of its cursor', () => {
    expect(listRequestOf(asked({ cursor: 'page 2' }))).toEqual({ cursor: sha256Hex('page 2'), apart: false });
  });

  test('is apart where its cursor is no text or was not read', () => {
    const unread: Params = {
      inspected: false,
      name: undefined,
      argumentsAre: 'absent',
      argumentKeys: undefined,
      keys: ['cursor'],
    };
    for (const params of [asked({ cursor: 1 }), asked({ cursor: ['x'] }), unread]) {
      expect(listRequestOf(params)).toEqual({ cursor: undefined, apart: true });
    }
  });
});

describe('what a client can do', () => {
  const said = { roots: {}, elicitation: { form: {} } };
  const hash = sha256Hex('{"elicitation":{"form":{}},"roots":{}}');

  test('is told by its first request, or by each, in any order of its members', () => {
    expect(clientHashOf('initialize', asked({ capabilities: said, clientInfo: { name: 'x' } }))).toBe(hash);
    const meta = { _meta: { 'io.modelcontextprotocol/clientCapabilities': said } };
    expect(clientHashOf('tools/list', asked(meta))).toBe(hash);
  });

  test('is not told by anything else', () => {
    for (const params of [
      {},
      { capabilities: null },
      { capabilities: 'all' },
      { _meta: { capabilities: said } },
    ])
      expect(clientHashOf('initialize', asked(params))).toBeUndefined();
    expect(clientHashOf('tools/list', asked({ capabilities: said }))).toBeUndefined();
    expect(clientHashOf('tools/list', { inspected: true, value: undefined })).toBeUndefined();
  });
});

describe('a page', () => {
  test('is told by its tools, its place, and the announcements before it', () => {
    expect(pageOf({ tools: [{ name: 'a' }], nextCursor: 'n' }).page).toEqual({
      epoch: 3,
      tools: [{ name: 'a' }],
      next: sha256Hex('n'),
    });
    for (const last of [{}, { nextCursor: null }, { nextCursor: '' }]) {
      expect(pageOf({ tools: [], ...last }).page).toEqual({ epoch: 3, tools: [] });
    }
    expect(pageOf({ tools: [], nextCursor: 5 }).page).toEqual({ epoch: 3, tools: [], apart: true });
  });

  test.each<[string, JsonValue | undefined, RegExp]>([
    ['was not inspected', undefined, /more than 1000 bytes/],
    ['is null', null, /must be an object/],
    ['is a list', [], /must be an object/],
    ['has no tools', {}, /array of `tools`/],
    ['has tools that are no list', { tools: {} }, /array of `tools`/],
    ['has tools under a second name', { tools: [], TOOLS: [] }, /`TOOLS` is spelt/],
    ['has tools under a name that ends early', { tools: [], 'tools\0x': [] }, /is spelt/],
    ['has a second cursor', { tools: [], nextcursor: 'x' }, /`nextcursor` is spelt/],
  ])('that %s cannot be judged', (_, value, why) => {
    expect(read(value)).toMatch(why);
  });

  test('without some of its tools has all others, in their order, and all else as it was', () => {
    const tool = fc.record({ name: fc.string(), inputSchema: fc.jsonValue() });
    const places = fc.uniqueArray(fc.nat({ max: 7 }), { maxLength: 8 });
    fc.assert(
      fc.property(fc.array(tool, { maxLength: 8 }), fc.jsonValue(), places, (tools, meta, out) => {
        const value = parseJson(JSON.stringify({ _meta: meta, tools, nextCursor: 'n' }));
        const line = withoutTools(ID, pageOf(value), new Set(out));
        const kept = tools.filter((_, at) => !out.includes(at));
        expect(line?.at(-1)).toBe(10);
        expect(canonicalize(parseJson(line?.toString() ?? ''))).toBe(
          canonicalize(
            parseJson(
              JSON.stringify({
                jsonrpc: '2.0',
                id: 1,
                result: { _meta: meta, tools: kept, nextCursor: 'n' },
              }),
            ),
          ),
        );
      }),
    );
  });

  test('keeps numbers that a double would round', () => {
    const value = parseJson(
      '{"tools":[{"name":"a"},{"name":"b","inputSchema":{"maximum":18446744073709551615}}]}',
    );
    const line = withoutTools(ID, pageOf(value), new Set([0]))?.toString();
    expect(line).toBe(
      '{"jsonrpc":"2.0","id":1,"result":{"tools":[{"inputSchema":{"maximum":18446744073709551615},"name":"b"}]}}\n',
    );
  });
});
