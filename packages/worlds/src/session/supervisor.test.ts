import { Duplex } from 'node:stream';
import { expect, test } from 'vitest';
import { Supervisor, wordsOfProgram } from './supervisor.js';

/** A line whose other end a test plays. */
class Line extends Duplex {
  readonly written: string[] = [];
  override _read(): void {
    // The test says what comes.
  }
  override _write(bytes: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.written.push(bytes.toString('latin1'));
    done();
  }
}

const length = (size: number): string => Buffer.from([0, 0, size >> 8, size & 0xff]).toString('latin1');
const frame = (kind: string, body: string): string => kind + length(body.length) + body;
const words = (...all: readonly string[]): string => all.map((word) => length(word.length) + word).join('');

function started(): { line: Line; heard: unknown[]; supervisor: Supervisor; come: (text: string) => void } {
  const line = new Line();
  const heard: unknown[] = [];
  const hear =
    (what: string) =>
    (...facts: readonly unknown[]): void =>
      void heard.push([what, ...facts]);
  const supervisor = new Supervisor(line, {
    ready: hear('ready'),
    asked: hear('asked'),
    endAsked: hear('endAsked'),
    ended: hear('ended'),
    gone: hear('gone'),
    reached: hear('reached'),
    counted: hear('counted'),
    started: hear('started'),
    unguarded: (places) => {
      heard.push(['unguarded', places]);
      return Promise.resolve(places[0] === '/lost' ? undefined : places.slice(1));
    },
  });
  const come = (text: string): void => void line.emit('data', Buffer.from(text, 'latin1'));
  return { line, heard, supervisor, come };
}

test('a program that is brought to the door is asked for, and begins as it was judged', () => {
  const { come, heard, line, supervisor } = started();
  const asked = frame(
    'A',
    length(7) + words('41', '7', 'p 33 99', '/p', '2', 'A=1', 'B=x=y', 'sh', '-c', 'ls'),
  );
  for (const byte of frame('r', '') + asked) come(byte);
  const program = {
    id: 7,
    asker: { pid: 41, start: '7' },
    terminal: { rows: 33, columns: 99 },
    folder: '/p',
    env: { A: '1', B: 'x=y' },
    command: ['sh', '-c', 'ls'],
  };
  expect(heard).toEqual([['ready'], ['asked', program]]);
  supervisor.begin('told', { ...program, env: { A: '2' } });
  expect(line.written).toEqual([
    frame('G', length(7) + words('told', 'p 33 99', '/p', '1', 'A=2', 'sh', '-c', 'ls')),
  ]);
});

test('the end of a program, what it started and how many processes are left are told', () => {
  const { come, heard } = started();
  come(frame('P', length(7) + words('0', '/bin/ls', '/bin/sh', '1')));
  come(frame('X', length(7) + length(0x0100) + length(12) + length(3) + length(4096)));
  come(frame('C', length(8)) + frame('Q', length(2)) + frame('H', length(9) + words('41', '7')));
  expect(heard).toEqual([
    ['started', 7, ['0', '/bin/ls', '/bin/sh', '1']],
    ['ended', { id: 7, status: 256, userMs: 12, systemMs: 3, kilobytes: 4096 }],
    ['gone', 8],
    ['counted', 2],
    ['endAsked', 9, { pid: 41, start: '7' }],
  ]);
});

test('mounts that are gone are made again, or the world is told that they are not', async () => {
  const { come, heard, line } = started();
  come(frame('M', words('/p/.git/config', '/p/.husky')) + frame('M', words('/lost')));
  expect(heard).toEqual([
    ['unguarded', ['/p/.git/config', '/p/.husky']],
    ['unguarded', ['/lost']],
  ]);
  await Promise.resolve();
  expect(line.written).toEqual([frame('M', words('held', '/p/.husky')), frame('M', words('lost'))]);
});

test('a program without words is refused, and the world goes on', () => {
  for (const body of [
    '',
    words('1', '2', '', '/p'),
    words('1', '2', '', '/p', '9', 'sh'),
    words('1', '2', '', '/p', '0'),
    words('1', '2', '', '/p', '0', 'rm\0', '-rf'),
    words('1', '2', '', '/p', '1', 'A=1\0', 'sh'),
    words('1', '2', '', '/\0p', '0', 'sh'),
    '\xff\xff\xff\xff',
  ]) {
    const { come, heard, line } = started();
    come(frame('A', length(7) + body));
    expect([heard, line.written, line.destroyed]).toEqual([
      [],
      [frame('N', `${length(7)}this is no program`)],
      false,
    ]);
  }
});

test('words that no world says end it', () => {
  const wrong = [frame('Z', length(1)), frame('X', length(1)), frame('C', ''), `A\xff\xff\xff\xff`];
  for (const text of wrong) {
    const { come, line } = started();
    come(text);
    expect(line.destroyed).toBe(true);
  }
});

test('the words of a program are its folder, its variables and itself', () => {
  const program = { folder: '/ü', env: { A: '1' }, command: ['true'] };
  expect(wordsOfProgram(program).toString('latin1')).toBe(
    words(Buffer.from('/ü').toString('latin1'), '1', 'A=1', 'true'),
  );
});
