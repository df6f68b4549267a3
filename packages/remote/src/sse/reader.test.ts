import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LargeMessage, Spool } from '@subluminal/mcp';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SharedRoom } from '@subluminal/gateway';
import { eventFrame, StoredFrame } from './frame.js';
import { SseReader, StreamBroken, type EventFields } from './reader.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sub-sse-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Read {
  readonly fields: EventFields;
  readonly data: string | undefined;
}

function read(
  chunks: readonly Buffer[],
  max = 1_000_000,
): { readonly events: readonly Read[]; readonly comments: number; readonly held: number } {
  const events: Read[] = [];
  let comments = 0;
  const held = new SharedRoom(10_000_000, 0);
  const reader = new SseReader({
    maxInspectBytes: max,
    maxFieldBytes: 64,
    held,
    openLarge: () => new LargeMessage(folder, 1_000_000),
    onEvent: ({ fields, data }) => events.push({ fields, data: textOf(data) }),
    onComment: () => {
      comments += 1;
    },
  });
  for (const chunk of chunks) {
    reader.feed(chunk);
    while (reader.hasMore) reader.step();
  }
  reader.end();
  return { events, comments, held: held.used };
}

function textOf(data: Buffer | LargeMessage | undefined): string | undefined {
  if (data === undefined || Buffer.isBuffer(data)) return data?.toString();
  const { bytes, judged, spool } = data.finish();
  spool?.close();
  return `${judged.type} of ${bytes}`;
}

const whole = (text: string): readonly Read[] => read([Buffer.from(text)]).events;

describe('the reader of streams', () => {
  it.each([
    ['data: a\n\n', [{ fields: {}, data: 'a' }]],
    [
      'data:a\r\rdata:b\r\n\r\n',
      [
        { fields: {}, data: 'a' },
        { fields: {}, data: 'b' },
      ],
    ],
    ['data:  a\ndata\ndata:b\n\n', [{ fields: {}, data: ' a\n\nb' }]],
    ['\uFEFFdata: a\n\n', [{ fields: {}, data: 'a' }]],
    ['data: \uFEFFa\n\n', [{ fields: {}, data: '\uFEFFa' }]],
    [
      'id: 1\nevent: e\nretry: 10\ndata: a\n\n',
      [{ fields: { id: '1', event: 'e', retry: '10' }, data: 'a' }],
    ],
    ['id: 1\n\n', [{ fields: { id: '1' }, data: undefined }]],
    ['id\n\n', [{ fields: { id: '' }, data: undefined }]],
    ['retry: soon\nid: a\0b\n\n', []],
    ['Data: a\ndata : b\n data: c\nxdata: d\n\n', []],
    ['data:\n\n', [{ fields: {}, data: '' }]],
    ['data: never ends', []],
    ['data: a\n', []],
    ['\n\n\n', []],
  ])('reads %j as a browser does', (text, events) => {
    expect(whole(text)).toEqual(events);
  });

  it('counts comments, and holds nothing of what has ended or never will', () => {
    const { comments, held } = read([Buffer.from(': a\n:\n:b: c\n\ndata: x\n\ndata: never')]);
    expect([comments, held]).toEqual([3, 0]);
  });

  it('gives up a line that is too long to be a field', () => {
    expect(() => whole(`x: ${'y'.repeat(100)}`)).toThrow(StreamBroken);
    expect(() => whole(`:${'y'.repeat(100)}`)).toThrow(StreamBroken);
    expect(whole(`data: ${'y'.repeat(100)}\n\n`)).toHaveLength(1);
  });

  it('reads a message that is too large to be held from a spool, of which nothing is left', () => {
    const text = `{"jsonrpc":"2.0","id":1,\n"result":{"a":"${'x'.repeat(200)}"}}`;
    const event = `data: ${text.replaceAll('\n', '\ndata: ')}\n\n`;
    expect(read([Buffer.from(event)], 50).events).toEqual([{ fields: {}, data: `answer of ${text.length}` }]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('reads a large message that comes byte by byte, and line by line, as one that comes whole', () => {
    const text = `[${'0,'.repeat(20_000)}1]`;
    const lines = Buffer.from(`${Array.from(text, (character) => `data:${character}\n`).join('')}\n`);
    const bytes = [...Buffer.from(`data: ${text}\n\n`)].map((byte) => Buffer.of(byte));
    const [event] = read([Buffer.from(`data: ${text}\n\n`)], 50).events;
    expect(read(bytes, 50).events).toEqual([event]);
    expect(read([lines], 50).events).toEqual([{ fields: {}, data: `refused of ${2 * text.length - 1}` }]);
    expect(event).toEqual({ fields: {}, data: `refused of ${text.length}` });
  });

  it('gives the same events however the stream was cut', () => {
    const part = fc.constantFrom(
      'data: a',
      'data',
      'data:b',
      'id: 7',
      ': c',
      'event: e',
      '\n',
      '\r',
      '\r\n',
      '\n\n',
      '\uFEFF',
      'ü',
      'data:',
    );
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 30 }),
        fc.array(fc.nat(8), { maxLength: 40 }),
        (parts, cuts) => {
          const bytes = Buffer.from(parts.join(''));
          const chunks: Buffer[] = [];
          let at = 0;
          for (const cut of cuts) chunks.push(bytes.subarray(at, (at += cut)));
          chunks.push(bytes.subarray(at));
          expect(read(chunks)).toEqual(read([bytes]));
        },
      ),
    );
  });
});

describe('a frame', () => {
  const field = fc.string({ maxLength: 10 }).filter((text) => !/[\r\n\0]|^ /.test(text));

  it('is read as what was written', () => {
    fc.assert(
      fc.property(
        fc.record({ id: field, event: field }, { requiredKeys: [] }),
        fc.string().filter((text) => !text.includes('\r')),
        (fields, data) => {
          const { events } = read([eventFrame(fields, Buffer.from(data))]);
          expect(events).toEqual([{ fields, data: Buffer.from(data).toString() }]);
        },
      ),
    );
  });

  it('from outside of memory has the same bytes, in whatever pieces it is read', () => {
    const data = Buffer.from('{"a":"bcdefgh"}');
    const spool = new Spool(folder);
    spool.append(data);
    const frame = new StoredFrame({ id: '1' }, spool);
    for (let size = 1; size < 12; size += 1) {
      const pieces: Buffer[] = [];
      for (let at = 0; at < frame.length; at += pieces.at(-1)?.length ?? 1) pieces.push(frame.read(at, size));
      expect(Buffer.concat(pieces)).toEqual(eventFrame({ id: '1' }, data));
    }
    frame.close();
  });
});
