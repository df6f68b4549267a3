import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dataOf } from '../gateway/harness.js';
import { Authority } from './kit/authority.js';
import { Dovecot, dovecotMissing } from './kit/dovecot.js';
import { allow, codeOf, mailAccount, mailWorld, PASSWORD } from './kit/world.js';

const missing = dovecotMissing();

const PLAIN = `From: "Bob" <bob@else.test>
To: ada@mail.test, "Eve" <eve@else.test>
Cc: carl@else.test
Subject: =?UTF-8?B?R3LDvMOfZQ==?=
Message-ID: <1@else.test>
Date: Fri, 02 Jan 2026 03:04:05 +0000
Content-Type: text/plain; charset=iso-8859-1
Content-Transfer-Encoding: quoted-printable

gr=FC=DFe
`;
const PAGE = `From: bob@else.test
To: ada@mail.test
Subject: a page
Message-ID: <2@else.test>
Date: Sat, 03 Jan 2026 03:04:05 +0000
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="cut"

--cut
Content-Type: text/html; charset=utf-8

<html><head><style>p {}</style></head><body><p>Hello&nbsp;<b>you</b> &amp; me</p><script>no()</script></body></html>
--cut
Content-Type: application/pdf; name="bill.pdf"
Content-Disposition: attachment; filename="bill.pdf"
Content-Transfer-Encoding: base64

AAECAwQ=
--cut--
`;

describe.skipIf(missing !== undefined)(
  `mail at a real Dovecot${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    const dovecot = new Dovecot();
    let authority: Authority;
    beforeAll(async () => {
      authority = new Authority();
      const inbox = join(dovecot.folder, 'mail', 'new');
      mkdirSync(inbox, { recursive: true });
      chmodSync(inbox, 0o777);
      writeFileSync(join(inbox, '1767323045.M1P1.mail'), PLAIN);
      writeFileSync(join(inbox, '1767409445.M1P1.mail'), PAGE);
      await dovecot.start(authority, PASSWORD);
    });
    afterAll(async () => {
      await dovecot.stop();
      authority.remove();
    });

    it('is read newest first, over TLS and over STARTTLS, and nothing of it is changed', async () => {
      const { world, operator, run } = await mailWorld(authority);
      await allow(operator, dovecot.imap);
      await operator.request('account.add', mailAccount({ imap: { port: dovecot.imaps, security: 'tls' } }));
      expect(codeOf(await run.client.request('email.fetch', {}))).toBe('not_allowed');
      await allow(operator, dovecot.imaps);
      const read = await run.client.request('email.fetch', {});
      expect(read.error).toBeUndefined();
      const { messages } = dataOf(read);
      expect(messages).toMatchObject([
        {
          messageId: '<2@else.test>',
          from: { name: '', address: 'bob@else.test' },
          subject: 'a page',
          text: 'Hello you & me',
          attachments: [{ name: 'bill.pdf', type: 'application/pdf', size: 5 }],
        },
        {
          messageId: '<1@else.test>',
          from: { name: 'Bob', address: 'bob@else.test' },
          to: [
            { name: '', address: 'ada@mail.test' },
            { name: 'Eve', address: 'eve@else.test' },
          ],
          cc: [{ name: '', address: 'carl@else.test' }],
          subject: 'Grüße',
          date: '2026-01-02T03:04:05.000Z',
          text: 'grüße\n',
          attachments: [],
        },
      ]);
      const security = 'starttls';
      await operator.request('account.add', mailAccount({ imap: { port: dovecot.imap, security } }));
      const again = dataOf(await run.client.request('email.fetch', { limit: 1 }));
      expect(again['messages']).toMatchObject([{ messageId: '<2@else.test>' }]);
      expect(JSON.stringify(again['messages'])).not.toContain('\\\\Seen');
      const later = dataOf(await run.client.request('email.fetch', { since: '2099-01-01T00:00:00Z' }));
      expect(later['messages']).toEqual([]);
      const since = dataOf(await run.client.request('email.fetch', { since: '2000-01-01T00:00:00Z' }));
      expect(since['messages']).toHaveLength(2);
      expect(codeOf(await run.client.request('email.fetch', { folder: 'no "such' }))).toBe('adapter_failed');
      const [pending] = world.rows('action_pending').filter(({ tool }) => tool === 'email.fetch');
      expect(pending?.data).toMatchObject({
        destination: `imaps://mail.test:${dovecot.imaps}`,
        addresses: ['127.0.0.1'],
      });
      expect(JSON.stringify(world.rows())).not.toContain(PASSWORD);
    });

    it('keeps a draft where the server keeps drafts, and refuses a wrong password', async () => {
      const { operator, run } = await mailWorld(authority);
      await allow(operator, dovecot.imaps);
      const account = mailAccount({ imap: { port: dovecot.imaps, security: 'tls' } });
      await operator.request('account.add', account);
      expect(codeOf(await operator.request('account.test', { name: 'work' }))).toBe('success');
      const draft = { to: ['bob@else.test'], subject: 'later', body: 'not yet' };
      const kept = await run.client.request('email.draft', draft);
      expect(kept.error).toBeUndefined();
      const { messageId, folder } = dataOf(kept);
      // As it is asked for.
      expect(folder).toBe('Entwürfe');
      const found = dataOf(await run.client.request('email.fetch', { folder }));
      expect(found['messages']).toMatchObject([{ messageId, subject: 'later' }]);
      expect(JSON.stringify(found['messages'])).toContain('\\\\Draft');
      await operator.request('account.add', { ...account, secret: 'another-word' });
      expect(codeOf(await run.client.request('email.fetch', {}))).toBe('credential_refused');
    });
  },
);
