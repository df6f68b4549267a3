import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { mailData } from './smtp-data.js';

const messages = fc
  .array(fc.constantFrom('.', '..', '\r', '\n', '\r\n', '.\r\n', 'a', 'ü', '\0'), { maxLength: 30 })
  .map((parts) => Buffer.from(parts.join(''), 'utf8'));

it('no part of a message can be taken for its end, and a server reads every line of it', () => {
  fc.assert(
    fc.property(messages, (message) => {
      const data = mailData(message).toString('latin1');
      expect(`\r\n${data}`).not.toMatch(/[\r\n]\.(?:[\r\n]|$)/);
      expect(data).not.toMatch(/\r(?!\n)|(?<!\r)\n/);
      const lines = data === '' ? [] : data.slice(0, -2).split('\r\n');
      const given = message.toString('latin1').split(/\r\n?|\n/);
      if (given.at(-1) === '') given.pop();
      expect(lines.map((line) => line.replace(/^\./, ''))).toEqual(given);
    }),
  );
});

it('a letter with a line of one dot goes over the wire with two', () => {
  expect(mailData(Buffer.from('a\r\n.\r\n.b\r\n')).toString()).toBe('a\r\n..\r\n..b\r\n');
});
