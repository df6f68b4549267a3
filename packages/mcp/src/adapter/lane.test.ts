import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Spool } from '../spool/spool.js';
import { Lane } from './lane.js';

let folder: string;
let pressure: boolean[] = [];
let ownPressure: boolean[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lane-'));
  pressure = [];
  ownPressure = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

function laneTo(output: Writable): Lane {
  return new Lane({
    output,
    maxBytes: 100_000,
    maxSpooledBytes: 1000,
    maxPlaces: 10,
    onPressure: (high) => pressure.push(high),
    onOwnPressure: (high) => ownPressure.push(high),
  });
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const held = (bytes: number) => ({ held: bytes, spooled: 0, own: false });
const line = (n: number): Buffer => Buffer.from(`${n}\n`);

test('messages leave in the order of their places, whenever they are settled', async () => {
  const output = new PassThrough();
  const lane = laneTo(output);
  const places = [0, 1, 2, 3].map(() => lane.reserve(held(2)));
  places[3]?.send(line(3));
  places[1]?.drop();
  places[2]?.send(line(2));
  await turn();
  expect(output.read()).toBeNull();
  places[0]?.send(line(0));
  await lane.empty();
  expect(everything(output)).toBe('0\n2\n3\n');
});

test('messages that fill the disk pause the source as those that fill the memory', () => {
  const lane = laneTo(new PassThrough());
  const places = [600, 600].map((spooled) => lane.reserve({ held: 0, spooled, own: false }));
  expect(pressure).toEqual([true]);
  places[0]?.drop();
  expect(pressure).toEqual([true]);
  places[1]?.drop();
  expect(pressure).toEqual([true, false]);
});

test('whatever is sent leaves whole and in order, however large it is and however slowly it is read', async () => {
  const size = fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 60_000, max: 140_000 }));
  const message = fc.record({
    size,
    fate: fc.constantFrom('now', 'later', 'spooled', 'dropped'),
    pause: fc.nat(2),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(message, { maxLength: 12 }), fc.nat(3), async (messages, slowness) => {
      pressure = [];
      const written: Buffer[] = [];
      const output = new Writable({
        highWaterMark: 20_000,
        async write(chunk: Buffer, _encoding, done) {
          for (let n = 0; n < slowness; n += 1) await turn();
          written.push(chunk);
          done();
        },
      });
      const lane = laneTo(output);
      const expected: Buffer[] = [];
      const later: (() => void)[] = [];
      for (const [n, { size: bytes, fate, pause }] of messages.entries()) {
        const content = Buffer.alloc(bytes, n + 1);
        if (fate !== 'dropped') expected.push(content);
        const place = lane.reserve(held(bytes));
        if (fate === 'dropped') place.drop();
        else if (fate === 'later') later.push(() => place.send(content));
        else if (fate === 'now') place.send(content);
        else {
          const spool = new Spool(folder);
          spool.append(content);
          place.send(spool);
        }
        for (let turns = 0; turns < pause; turns += 1) await turn();
        // A message is read in pieces, and one more piece waits at most.
        expect(output.writableLength).toBeLessThan(140_000 + 2 * 65_536);
      }
      for (const send of later.toReversed()) send();
      await lane.empty();
      expect(Buffer.concat(written).equals(Buffer.concat(expected))).toBe(true);
      expect(pressure.at(-1) ?? false).toBe(false);
    }),
    { numRuns: 100 },
  );
});

test('a place is settled once', () => {
  const place = laneTo(new PassThrough()).reserve(held(1));
  place.drop();
  expect(() => place.send(line(1))).toThrow('twice');
});

test('too many undecided messages pause the source until half of them are gone', () => {
  const lane = laneTo(new PassThrough());
  const places = Array.from({ length: 11 }, () => lane.reserve(held(1)));
  expect(pressure).toEqual([true]);
  for (const place of places.slice(0, 5)) place.drop();
  expect(pressure).toEqual([true]);
  places[5]?.drop();
  expect(pressure).toEqual([true, false]);
});

test('a reader that does not read pauses the source, and one that reads on gets everything', async () => {
  const output = new PassThrough();
  const lane = laneTo(output);
  const sent: Buffer[] = [];
  for (let n = 0; n < 8; n += 1) {
    const bytes = Buffer.alloc(50_000, n);
    sent.push(bytes);
    lane.reserve(held(bytes.length)).send(bytes);
    await turn();
  }
  expect(pressure).toEqual([true]);
  const got: Buffer[] = [];
  output.on('data', (chunk: Buffer) => got.push(chunk));
  await lane.empty();
  await turn();
  expect(Buffer.concat(got).equals(Buffer.concat(sent))).toBe(true);
  expect(pressure).toEqual([true, false]);
});

test('answers of our own that nobody reads pause whoever asks for them', async () => {
  const output = new PassThrough();
  const lane = laneTo(output);
  for (let n = 0; n < 24; n += 1) {
    lane.reserve({ ...held(60_000), own: true }).send(Buffer.alloc(60_000));
    await turn();
  }
  expect(ownPressure).toEqual([true]);
  output.resume();
  await lane.empty();
  expect(ownPressure).toEqual([true, false]);
});

test('a spooled message leaves in pieces, and its file is given back', async () => {
  const spool = new Spool(folder);
  const bytes = Buffer.alloc(300_000, 'ab');
  spool.append(bytes);
  expect(readdirSync(folder)).toEqual([]);
  const pieces: number[] = [];
  const got: Buffer[] = [];
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      pieces.push(chunk.length);
      got.push(chunk);
      setImmediate(done);
    },
  });
  const lane = laneTo(output);
  lane.reserve(held(0)).send(spool);
  lane.reserve(held(2)).send(line(1));
  await lane.empty();
  expect(Buffer.concat(got).equals(Buffer.concat([bytes, line(1)]))).toBe(true);
  expect(Math.max(...pieces)).toBeLessThanOrEqual(65_536);
  expect(() => spool.read(0, 1)).toThrow('EBADF');
});

test('a lane whose reader is gone throws everything away and holds nobody up', async () => {
  const output = new PassThrough();
  const lane = laneTo(output);
  const spool = new Spool(folder);
  spool.append(Buffer.alloc(10));
  const waiting = lane.reserve(held(200_000));
  lane.reserve(held(0)).send(spool);
  expect(pressure).toEqual([true]);
  lane.break();
  expect(pressure).toEqual([true, false]);
  waiting.send(Buffer.alloc(200_000));
  await lane.empty();
  expect(output.read()).toBeNull();
  expect(() => spool.read(0, 1)).toThrow('EBADF');
});

/** All that can be read now. One `read()` gives one chunk or all of them, by the version of Node. */
function everything(stream: PassThrough): string {
  stream.setEncoding('utf8');
  const chunks: string[] = [];
  for (let chunk: string | null = stream.read(); chunk !== null; chunk = stream.read()) chunks.push(chunk);
  return chunks.join('');
}
