import { describe, expect, it } from 'vitest';
import { Bytes } from './bytes.js';
import { ownMembers } from './claims.js';

const NOTHING = { seen: null, blobs: null };
const read = (data: string, rest = '}') => {
  // As in a page: something before it, and something behind it.
  const [before, body] = ['before', Buffer.from(`{"data":${data}${rest}`)];
  const bytes = new Bytes(Buffer.concat([Buffer.from(before), body, Buffer.from('"behind')]));
  const row = { bytes, bodyAt: before.length, bodyEnd: before.length + body.length };
  return ownMembers(row, before.length + '{"data":'.length);
};

describe('what an entry’s data claims', () => {
  it.each([
    ['nothing', '{"x":1}', NOTHING],
    ['nothing, where the data is empty', '{}', NOTHING],
    ['an id in its own run', '{"#seen":"a","x":1}', { seen: { id: 'a', run: undefined }, blobs: null }],
    ['an id in another run', '{"#seen":["r","a"]}', { seen: { id: 'a', run: 'r' }, blobs: null }],
    ['an id outside of any run', '{"#seen":[null,"a"]}', { seen: { id: 'a', run: null }, blobs: null }],
    ['a blob', '{"#blobs":{"s":{}}}', { seen: null, blobs: { s: {} } }],
    ['both', '{"#blobs":{"s":{}},"#seen":"a"}', { seen: { id: 'a', run: undefined }, blobs: { s: {} } }],
  ])('is read: %s', (_, data, members) => {
    expect(read(data)).toEqual(members);
  });

  it.each([
    ['no member begins with `#`', '{"x":', NOTHING],
    ['the id stands first', '{"#seen":"a",', { seen: { id: 'a', run: undefined }, blobs: null }],
  ])('is read without parsing where %s', (_, data, members) => {
    expect(read(data, '')).toEqual(members);
  });

  it.each([
    ['a body that is no JSON', '{"#seen":['],
    ['an id that is a number', '{"#seen":5}'],
    ['an id that is null', '{"#seen":null}'],
    ['an id that is an object', '{"#seen":{}}'],
    ['no id behind the run', '{"#seen":["r"]}'],
    ['a number behind the run', '{"#seen":["r",5]}'],
    ['a run that is a number', '{"#seen":[5,"a"]}'],
    ['blobs that are a number', '{"#blobs":5}'],
    ['blobs that are a text', '{"#blobs":"s"}'],
    ['a blob that is null', '{"#blobs":{"s":null}}'],
    ['a blob that is a text', '{"#blobs":{"s":"t"}}'],
    ['a good blob and one that is none', '{"#blobs":{"s":{},"t":5}}'],
  ])('is refused with %s', (_, data) => {
    expect(read(data)).toBeUndefined();
  });

  it.each(['null', '"text"', '5', 'true'])('is refused where a second `data` is %s', (data) => {
    expect(read('{"#blobs":{}}', `,"data":${data}}`)).toBeUndefined();
  });
});
