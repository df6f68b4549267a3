import * as fc from 'fast-check';
import { EmailSendPayload } from '@subluminal/core-types';
import PostalMime from 'postal-mime';
import { expect, it } from 'vitest';
import type { Account } from '../accounts/account.js';
import { composeMessage } from './compose.js';

function parts(name?: string) {
  const settings = { address: 'ada@mail.test', user: 'ada', ...(name === undefined ? {} : { name }) };
  const account = { name: 'work', kind: 'email', settings } as unknown as Account<'email'>;
  return { account, runId: 'run', requestId: 'request', now: Date.UTC(2026, 0, 2, 3, 4, 5) };
}

const line = fc.string({ unit: 'grapheme', maxLength: 200 }).map((text) => text.replaceAll(/\p{Cc}/gu, ''));
const subjects = fc.oneof(
  line,
  fc
    .array(fc.constantFrom('=?UTF-8?B?QUJD?=', '=?x?Q?', '?=', ' ', 'a', 'ü', 'x'.repeat(80)), {
      maxLength: 9,
    })
    .map((all) => all.join('')),
);
const address = fc
  .tuple(
    fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9+_'-]{0,20}[a-z0-9]$/),
    fc.stringMatching(/^[A-Za-z]{1,20}$/),
  )
  .map(([user, host]) => `${user}@${host}.test`);

/** The domain, of which the case means nothing, is written in lower case. */
function inHeader(one: string): string {
  const at = one.lastIndexOf('@');
  return `${one.slice(0, at)}${one.slice(at).toLowerCase()}`;
}

it('says exactly who gets a letter, and what it is about, whatever stands in it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(address, { minLength: 1, maxLength: 5 }),
      fc.array(address, { maxLength: 5 }),
      subjects,
      fc.string({ unit: 'binary', maxLength: 500 }),
      fc.option(line, { nil: undefined }),
      async (to, cc, subject, body, name) => {
        const payload = EmailSendPayload.parse({ to, cc, subject, body });
        const { message, messageId } = await composeMessage(payload, parts(name));
        const text = message.toString('latin1');
        // ASCII in lines of CRLF, none of which can be taken for the end or for a command's.
        expect(text).toMatch(/^(?:[ -~\t]{0,998}\r\n)+$/);
        expect(text.slice(text.indexOf('\r\n\r\n'))).not.toMatch(/^\./m);
        const read = await PostalMime.parse(message);
        expect(read.to?.map((one) => one.address)).toEqual(to.map(inHeader));
        expect((read.cc ?? []).map((one) => one.address)).toEqual(cc.map(inHeader));
        expect([read.bcc, read.replyTo, read.messageId]).toEqual([undefined, undefined, messageId]);
        expect((read.subject ?? '').trim()).toBe(subject.trim());
        expect(read.from?.address).toBe('ada@mail.test');
        const [, encoded = ''] = text.split('\r\n\r\n');
        expect(Buffer.from(encoded, 'base64').toString('utf8')).toBe(
          Buffer.from(body.replaceAll(/\r\n|\r|\n/g, '\r\n'), 'utf8').toString('utf8'),
        );
      },
    ),
    { numRuns: 100 },
  );
});

it('is the same letter when it is made again, by the same request', async () => {
  const payload = EmailSendPayload.parse({ to: ['bob@else.test'], subject: 'Grüße', body: 'one\n.\ntwo' });
  const [first, again] = [
    await composeMessage(payload, parts('Ada "A" <x@y>')),
    await composeMessage(payload, parts('Ada "A" <x@y>')),
  ];
  expect(again).toEqual(first);
  expect(first.message.toString()).toBe(
    [
      'Content-Transfer-Encoding: base64',
      'From: "Ada \\"A\\" <x@y>" <ada@mail.test>',
      'To: bob@else.test',
      'Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=',
      `Message-ID: ${first.messageId}`,
      'Date: Fri, 02 Jan 2026 03:04:05 +0000',
      'MIME-Version: 1.0',
      'Content-Type: text/plain; charset=utf-8',
      '',
      'b25lDQouDQp0d28=',
      '',
    ].join('\r\n'),
  );
});
