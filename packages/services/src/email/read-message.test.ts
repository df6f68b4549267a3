import { expect, it } from 'vitest';
import { messageData } from './read-message.js';

const message = (text: string) => {
  const source = Buffer.from(text);
  return { uid: 1, flags: [], receivedMs: 0, size: source.length, source };
};

it('a message is parsed as far as ten thousand lines, and says so', async () => {
  const head = 'Subject: lines\r\n\r\n';
  const whole = await messageData(message(head + 'a\r\n'.repeat(9998)));
  expect([whole['subject'], whole['text'], whole['truncated']]).toEqual([
    'lines',
    'a\n'.repeat(9998),
    undefined,
  ]);
  const cut = await messageData(message(head + 'a\r\n'.repeat(80_000)));
  expect([cut['subject'], cut['text'], cut['truncated']]).toEqual(['lines', 'a\n'.repeat(9998), true]);
});

it('others go on between two messages', async () => {
  const turns: string[] = [];
  setImmediate(() => turns.push('other'));
  await messageData(message('Subject: one\r\n\r\n'));
  turns.push('message');
  setImmediate(() => turns.push('other'));
  await messageData(message('Subject: two\r\n\r\n'));
  turns.push('message');
  expect(turns).toEqual(['other', 'message', 'other', 'message']);
});
