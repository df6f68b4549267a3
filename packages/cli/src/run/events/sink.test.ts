import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eventLine } from './line.js';
import { openSink } from './sink.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'subl-sink-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('goes on where a pipe is full or takes only a part, and loses no byte', async () => {
  const taken: string[] = [];
  let asked = 0;
  const sink = openSink('-', (_fd, bytes) => {
    asked += 1;
    if (asked % 2 === 0) return Promise.reject(Object.assign(new Error('full'), { code: 'EAGAIN' }));
    const part = bytes.subarray(0, 7);
    taken.push(part.toString('latin1'));
    return Promise.resolve(part.length);
  });
  const text = '{"a":"ü"}\n'.repeat(5);
  await sink.write(text);
  expect(Buffer.from(taken.join(''), 'latin1').toString('utf8')).toBe(text);
});

it('says why it ends early', async () => {
  const sink = openSink('-', () =>
    Promise.reject(Object.assign(new Error('x'), { code: 'EPIPE', syscall: 'write' })),
  );
  await expect(sink.write('x')).rejects.toMatchObject({
    code: 'failed',
    message: /nobody reads it any more/,
  });
});

it('a line has no command of a CI system in it, and the same value', () => {
  const event = { text: '##vso[task.setvariable]###[x]\u001b', list: ['##', '#'] };
  const line = eventLine(event);
  expect(line).not.toContain('##');
  expect(line).not.toContain('\u001b');
  expect(JSON.parse(line)).toEqual(event);
});

it('appends whole texts to its file', async () => {
  const path = join(folder, 'events');
  for (const text of ['a\n', 'b\n']) {
    const sink = openSink(path);
    await sink.write(text);
    sink.close();
  }
  expect(readFileSync(path, 'utf8')).toBe('a\nb\n');
});

it.each([
  ['a file that is there', 'there'],
  ['a file that it would make', 'missing'],
])('follows no link to %s', (_what, name) => {
  writeFileSync(join(folder, 'there'), 'kept');
  symlinkSync(join(folder, name), join(folder, 'events'));
  expect(() => openSink(join(folder, 'events'))).toThrow('it is a link');
  expect(readFileSync(join(folder, 'there'), 'utf8')).toBe('kept');
  expect(existsSync(join(folder, 'missing'))).toBe(false);
});

it.skipIf(process.platform !== 'linux')(
  'writes to a descriptor that was handed over, by its name',
  async () => {
    const file = openSync(join(folder, 'events'), 'a');
    const sink = openSink(`/dev/fd/${file}`);
    await sink.write('a\n');
    sink.close();
    closeSync(file);
    expect(readFileSync(join(folder, 'events'), 'utf8')).toBe('a\n');
  },
);

it.skipIf(process.platform === 'win32')('does not wait for the reader of a named pipe', () => {
  const path = join(folder, 'pipe');
  spawnSync('mkfifo', [path]);
  expect(() => openSink(path)).toThrow('nobody reads it');
});

it.each([
  ['cut', (path: string) => truncateSync(path, 1), 'it was cut'],
  ['removed', (path: string) => rmSync(path), 'it is not the file any more'],
  [
    'replaced',
    (path: string) => (rmSync(path), writeFileSync(path, 'x'.repeat(100))),
    'it is not the file any more',
  ],
])('notices that its file was %s meanwhile', async (_, does, why) => {
  const path = join(folder, 'events');
  writeFileSync(path, 'there');
  const sink = openSink(path);
  await sink.write('a\n');
  sink.verify();
  writeFileSync(path, 'of another job\n', { flag: 'a' });
  sink.verify();
  does(path);
  expect(() => sink.verify()).toThrow(why);
  sink.close();
});
