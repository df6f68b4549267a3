import { sha256Hex, preimage } from '@subluminal/core-types';
import { describe, expect, it } from 'vitest';
import { Bytes } from './bytes.js';
import { NONE } from './cursor.js';
import { startOf } from './page-text.js';
import { GAP, readRows, type Row } from './row.js';

const NULLS = '40,0,,,"ref":null,"ri":7';
const BEFORE = 'ab'.repeat(32);

/** Entries 9, 10 … of these columns and bodies, as `ROW` gives them; `edit` changes the text. */
function read(
  entries: readonly (readonly [string, string])[],
  { edit = (text: string) => text, size = (body: string) => String(Buffer.byteLength(body)) } = {},
): Row[] | null {
  const start = startOf('id0');
  let leaf = BEFORE;
  let text = '';
  let hashes = '';
  for (const [at, [columns, body]] of entries.entries()) {
    leaf = sha256Hex(preimage('id0', 9 + at, leaf, body));
    hashes += leaf;
    text += `${columns},${size(body)}${start}${9 + at}${GAP}${body}`;
  }
  const bytes = Bytes.of(edit(text));
  return readRows({
    bytes,
    length: bytes.length,
    start,
    first: 9,
    count: entries.length,
    before: BEFORE,
    hashes: Buffer.from(hashes, 'hex'),
  });
}

describe('the rows of a page', () => {
  it('give the columns of each entry and the place of its body, whatever that holds', () => {
    const odd = `\u0000,\u001f${'ä'.repeat(3)}1,2,3`;
    const rows = read([
      [NULLS, odd],
      ['4,10,3,2,"ref":8,"ri":1760000000000', ''],
    ]);
    expect(rows).toMatchObject([
      { kind: 40, code: 0, run: NONE, tool: NONE, ref: NONE },
      { kind: 4, code: 10, run: 3, tool: 2, ref: 8 },
    ]);
    const texts = rows?.map(({ bytes, bodyAt, bodyEnd }) => bytes.octets.toString('utf8', bodyAt, bodyEnd));
    expect(texts).toEqual([odd, '']);
  });

  it.each([
    ['-4', -4],
    ['x', Number.POSITIVE_INFINITY],
    ['1.5', Number.POSITIVE_INFINITY],
    [String(NONE), Number.POSITIVE_INFINITY],
  ])('give a column that holds %s as a number that is no NULL', (text, number) => {
    expect(read([[`${text},${text},${text},${text},"ref":${text},"ri":7`, '{}']])).toMatchObject([
      { kind: number, code: number, run: number, tool: number, ref: number },
    ]);
  });

  it.each([
    ['another seq', (text: string) => text.replace('\n10\n', '\n11\n')],
    ['another body', (text: string) => text.replace('"b"', '"c"')],
    ['something behind the last', (text: string) => `${text} `],
    ['nothing where the last ends', (text: string) => text.slice(0, -1)],
    ['a row less', (text: string) => text.slice(0, text.indexOf('40,0', 5))],
  ])('are none with %s', (_, edit) => {
    const two = [NULLS, '{"a":"b"}'] as const;
    expect(read([two, two])).toHaveLength(2);
    expect(read([two, two], { edit })).toBeNull();
  });

  it.each(['', '-1', '1', '99', 'x'])('are none where a body is said to have %s bytes', (length) => {
    expect(read([[NULLS, '{}']], { size: () => length })).toBeNull();
  });
});
