import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { LargeMessage, type Spooled } from '@subluminal/mcp';
import { Intake } from './intake.js';

const folder = mkdtempSync(join(tmpdir(), 'intake-'));
afterAll(() => rmSync(folder, { recursive: true }));

const LIMIT = 32;

function takeIn(chunks: readonly Buffer[]): { lines: string[]; large: Spooled[] } {
  const lines: string[] = [];
  const large: Spooled[] = [];
  const intake = new Intake({
    maxInspectBytes: LIMIT,
    onLine: (line) => lines.push(line.toString('latin1')),
    openLarge: () => new LargeMessage(folder, 1000),
    onLarge: (message) => large.push(message.finish()),
  });
  for (const chunk of chunks) intake.push(chunk);
  intake.end();
  return { lines, large };
}

test('lines come out whole, however the stream is cut', () => {
  const line = fc.string({ maxLength: LIMIT, unit: fc.constantFrom('a', '{', ' ', '\r', '"') });
  const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 });
  fc.assert(
    fc.property(fc.array(line), cuts, fc.boolean(), (lines, sizes, unfinished) => {
      const stream = Buffer.from(lines.map((text) => `${text}\n`).join('') + (unfinished ? 'rest' : ''));
      const chunks: Buffer[] = [];
      for (let at = 0, turn = 0; at < stream.length; turn += 1) {
        const size = sizes[turn % sizes.length] ?? 1;
        chunks.push(stream.subarray(at, at + size));
        at += size;
      }
      expect(takeIn(chunks).lines).toEqual(lines.map((text) => `${text}\n`));
    }),
  );
});

test('a line keeps its bytes when the next one arrives', () => {
  const lines: Buffer[] = [];
  const intake = new Intake({
    maxInspectBytes: LIMIT,
    onLine: (line) => lines.push(line),
    openLarge: () => new LargeMessage(folder, 1000),
    onLarge: () => undefined,
  });
  for (const piece of ['fir', 'st\nsec', 'ond\nthi', 'rd\n']) intake.push(Buffer.from(piece));
  expect(lines.map(String)).toEqual(['first\n', 'second\n', 'third\n']);
});

test('a line over the limit is large, the lines around it are not', () => {
  const exact = 'x'.repeat(LIMIT);
  const over = `{"jsonrpc":"2.0","id":1,"method":"a/method/that/is/long"}`;
  for (const size of [1, 7, 1000]) {
    const stream = Buffer.from(`${exact}\n${over}\n${exact}\n`);
    const chunks = Array.from({ length: Math.ceil(stream.length / size) }, (_, n) =>
      stream.subarray(n * size, (n + 1) * size),
    );
    const { lines, large } = takeIn(chunks);
    expect(lines).toEqual([`${exact}\n`, `${exact}\n`]);
    expect(large).toHaveLength(1);
    expect(large[0]).toMatchObject({
      judged: { type: 'request', method: 'a/method/that/is/long' },
      bytes: over.length,
    });
    expect(large[0]?.spool?.read(0, 1000).toString()).toBe(`${over}\n`);
    large[0]?.spool?.close();
  }
});

test('a message over the limit of the spool is refused, and names whom to tell', () => {
  const { large } = takeIn([
    Buffer.from(`{"jsonrpc":"2.0","id":"me","method":"x","params":{"a":"${'y'.repeat(2000)}"}}\n`),
  ]);
  expect(large).toMatchObject([
    { judged: { type: 'refused', reason: 'too_large', ids: [{ text: '"me"' }] }, spool: undefined },
  ]);
});

test('a spool that cannot be made refuses the message and nothing else', () => {
  const message = new LargeMessage(join(folder, 'missing'), 1000);
  message.write(Buffer.from('{"jsonrpc":"2.0","id":1,"result":1}'));
  expect(message.finish()).toMatchObject({
    judged: { type: 'refused', reason: 'too_large', answers: [{ text: '1' }] },
    spool: undefined,
  });
});
