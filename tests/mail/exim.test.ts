import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dataOf } from '../gateway/harness.js';
import { Authority } from './kit/authority.js';
import { Exim, eximMissing } from './kit/exim.js';
import { allow, codeOf, mailAccount, mailWorld, PASSWORD } from './kit/world.js';

const missing = eximMissing();
const LETTER = { to: ['bob@else.test'], cc: ['eve@else.test'], subject: 'Grüße', body: 'one\n.\n..two\n' };

describe.skipIf(missing !== undefined)(
  `mail at a real Exim${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    const exim = new Exim();
    let authority: Authority;
    beforeAll(async () => {
      authority = new Authority();
      await exim.start(authority, PASSWORD);
    });
    afterAll(async () => {
      await exim.stop();
      authority.remove();
    });

    it('is taken as it was asked for, over TLS and over STARTTLS, and by everyone or by nobody', async () => {
      const { operator, run } = await mailWorld(authority);
      for (const [security, port] of [
        ['tls', exim.smtps],
        ['starttls', exim.smtp],
      ] as const) {
        await operator.request('account.add', mailAccount({ smtp: { port, security } }));
        expect(codeOf(await run.client.request('email.send', LETTER))).toBe('not_allowed');
        await allow(operator, port);
        const before = exim.queued().length;
        const sent = dataOf(await run.client.request('email.send', LETTER));
        const letter = exim
          .queued()
          .find(({ head }) => head.includes(JSON.stringify(sent['messageId']).slice(1, -1)));
        expect(letter?.to.toSorted()).toEqual(['bob@else.test', 'eve@else.test']);
        expect(letter?.head).toContain(' Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=\n');
        expect(Buffer.from(letter?.body ?? '', 'base64').toString()).toBe('one\r\n.\r\n..two\r\n');
        for (const [change, code] of [
          [{ cc: ['nobody@else.test'] }, 'adapter_failed'],
          [{ to: ['nobody@else.test'], cc: [] }, 'adapter_failed'],
          [{ body: 'a line of it\n'.repeat(70_000) }, 'adapter_failed'],
        ] as const)
          expect(codeOf(await run.client.request('email.send', { ...LETTER, ...change }))).toBe(code);
        expect(exim.queued()).toHaveLength(before + 1);
        const wrong = { ...mailAccount({ smtp: { port, security } }), secret: 'another-word' };
        await operator.request('account.add', wrong);
        expect(codeOf(await run.client.request('email.send', LETTER))).toBe('credential_refused');
      }
    });
  },
);
