import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { TurnWriter } from './turn-writer.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** An output that keeps what it is given, and takes the next when it is told to. */
function output(options: { readonly slow?: boolean } = {}) {
  const written: string[] = [];
  const held: (() => void)[] = [];
  const stream = new Writable({
    highWaterMark: 1000,
    write(chunk: Buffer, _encoding, done) {
      written.push(chunk.toString());
      if (options.slow === true) held.push(done);
      else done();
    },
  });
  return { stream, written, release: () => held.splice(0).forEach((done) => done()) };
}

test('what is written in one turn leaves as one piece, in its order', async () => {
  const { stream, written } = output();
  const writer = new TurnWriter({ output: stream, onDrain: () => undefined });
  writer.write(Buffer.from('a'));
  writer.write(Buffer.from('b'));
  expect(writer.waiting).toBe(2);
  expect(written).toEqual([]);
  await turn();
  writer.write(Buffer.from('c'));
  await turn();
  expect(written).toEqual(['ab', 'c']);
  expect(writer.waiting).toBe(0);
});

test('a large piece leaves at once, behind what was gathered before it', async () => {
  const { stream, written } = output();
  const writer = new TurnWriter({ output: stream, onDrain: () => undefined });
  const large = 'x'.repeat(70_000);
  writer.write(Buffer.from('a'));
  writer.write(Buffer.from(large));
  writer.write(Buffer.from('b'));
  await turn();
  expect(written).toEqual(['a', large, 'b']);
});

test('a reader that falls behind is full until it has read', async () => {
  let drained = 0;
  const { stream, release } = output({ slow: true });
  const writer = new TurnWriter({ output: stream, onDrain: () => (drained += 1) });
  writer.write(Buffer.alloc(1200));
  expect(writer.full).toBe(false);
  writer.flush();
  expect(writer.full).toBe(true);
  release();
  await turn();
  expect(writer.full).toBe(false);
  expect(drained).toBe(1);
});

test('a large piece for an output that was ended goes nowhere and breaks nothing', async () => {
  const { stream, written } = output();
  const errors: unknown[] = [];
  stream.on('error', (error) => errors.push(error));
  const writer = new TurnWriter({ output: stream, onDrain: () => undefined });
  stream.end();
  writer.write(Buffer.from('a'));
  writer.write(Buffer.alloc(70_000));
  await turn();
  await turn();
  expect(written).toEqual([]);
  expect(errors).toEqual([]);
  expect(writer.waiting).toBe(0);
});

test('what was gathered for an output that was ended meanwhile goes nowhere and breaks nothing', async () => {
  const { stream, written } = output();
  const errors: unknown[] = [];
  stream.on('error', (error) => errors.push(error));
  const writer = new TurnWriter({ output: stream, onDrain: () => undefined });
  writer.write(Buffer.from('a'));
  stream.end();
  await turn();
  await turn();
  expect(written).toEqual([]);
  expect(errors).toEqual([]);
  expect(writer.waiting).toBe(0);
});
