import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { dataOf, start, type TestGateway, type TestRun } from '../gateway/harness.js';
import type { GatewayClient } from '@subluminal/ipc';
import { Authority } from './kit/authority.js';
import { SmtpServer, type Behaviour } from './kit/smtp-server.js';
import { allow, codeOf, mailAccount, mailWorld, PASSWORD, QUIET, RESOLVER } from './kit/world.js';

const LETTER = { to: ['bob@else.test'], cc: ['eve@else.test'], subject: 'Grüße', body: 'one\n.two\n' };

let authority: Authority;
let server: SmtpServer;
let port: number;
beforeAll(async () => {
  authority = new Authority();
  server = new SmtpServer(authority, PASSWORD);
  port = await server.listen();
});
afterAll(() => {
  server.close();
  authority.remove();
});
beforeEach(() => {
  server.behaviour = {};
  server.taken.length = 0;
  server.plain.length = 0;
  server.connections = 0;
});

async function ready(
  security = 'starttls',
): Promise<{ world: TestGateway; operator: GatewayClient; run: TestRun }> {
  const all = await mailWorld(authority);
  await all.operator.request('account.add', mailAccount({ smtp: { port, security } }));
  return all;
}

function pairsOf(world: TestGateway): unknown[] {
  return world
    .rows()
    .filter(({ tool, type }) => tool === 'email.send' && type !== 'anomaly')
    .map(({ type, code }) => [type, code]);
}

function textAt(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

describe('email.send', () => {
  it('sends once what was asked for, and records it without what is secret', async () => {
    const { world, operator, run } = await ready();
    const refused = await run.client.request('email.send', LETTER);
    expect(codeOf(refused)).toBe('not_allowed');
    expect(refused.error?.help).toBeUndefined();
    expect((await operator.request('email.send', LETTER)).error?.help).toBe(
      `\`sub allow add mail.test:${port}\``,
    );
    expect(server.connections).toBe(0);
    await allow(operator, port);
    const answered = '<a.b@else.test>';
    const sent = await run.client.request('email.send', { ...LETTER, replyToMessageId: answered });
    expect(sent.error).toBeUndefined();
    const { messageId } = dataOf(sent);
    expect(server.taken).toHaveLength(1);
    const [{ from, to, message } = { from: '', to: [], message: '' }] = server.taken;
    expect([from, to]).toEqual(['ada@mail.test', ['bob@else.test', 'eve@else.test']]);
    const [head = '', body = ''] = message.split('\r\n\r\n');
    expect(head).toContain('From: Ada <ada@mail.test>\r\nTo: bob@else.test\r\nCc: eve@else.test\r\n');
    expect(head).toContain('Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=\r\n');
    expect(head).toContain(`Message-ID: ${textAt(messageId)}\r\n`);
    expect(head).toContain(`In-Reply-To: ${answered}\r\nReferences: ${answered}\r\n`);
    expect(Buffer.from(body, 'base64').toString('utf8')).toBe('one\r\n.two\r\n');
    const long = 'a line of it\r\n'.repeat(40_000);
    const second = await run.client.request('email.send', { ...LETTER, body: long });
    expect(dataOf(second)).toMatchObject({ recipients: 2 });
    const [, whole = ''] = server.taken[1]?.message.split('\r\n\r\n') ?? [];
    expect(Buffer.from(whole, 'base64').toString('utf8') === long).toBe(true);
    // Nothing but the greeting was said in plain text.
    const greeted = ['EHLO [127.0.0.1]', 'STARTTLS'];
    expect(server.plain).toEqual([...greeted, ...greeted]);
    expect(pairsOf(world)).toEqual([
      ['action_rejected', 'rejected'],
      ['action_rejected', 'rejected'],
      ['action_pending', 'pending'],
      ['action_result', 'success'],
      ['action_pending', 'pending'],
      ['action_result', 'success'],
    ]);
    const texts = JSON.stringify(world.rows());
    expect(texts).toContain(`smtp://mail.test:${port}`);
    for (const form of [PASSWORD, Buffer.from(`\0ada\0${PASSWORD}`).toString('base64')])
      expect(texts).not.toContain(form);
    expect(dataOf(await operator.request('account.list', {}))).toMatchObject({ accounts: [{ uses: 2 }] });
  });

  it('sends nothing that is not a letter, and no more than its limit', async () => {
    const config = `${QUIET}\n[rate_limits.actions]\n"email.send" = 1\n`;
    const world = await start({ config, resolver: RESOLVER, extraCas: [authority.text('ca.pem')] });
    const [operator, run] = [await world.operator(), await world.run()];
    expect(codeOf(await run.client.request('email.send', LETTER))).toBe('account_unknown');
    server.behaviour = { security: 'tls' };
    await operator.request('account.add', mailAccount({ smtp: { port, security: 'tls' } }));
    await allow(operator, port);
    for (const wrong of [
      { subject: 'a\r\nBcc: eve@evil.test' },
      { to: ['bob@else.test\r\nRCPT TO:<eve@evil.test>'] },
      { to: ['bob@else.test>,<eve@evil.test'] },
      { replyToMessageId: '<a@b>\r\nBcc: eve@evil.test' },
      { to: [] },
      { bcc: ['eve@evil.test'] },
      { account: 'no/such' },
    ])
      expect([wrong, codeOf(await run.client.request('email.send', { ...LETTER, ...wrong }))]).toEqual([
        wrong,
        'invalid_request',
      ]);
    expect(codeOf(await run.client.request('email.send', { ...LETTER, account: 'other' }))).toBe(
      'account_unknown',
    );
    expect(server.connections).toBe(0);
    expect(codeOf(await run.client.request('email.send', { ...LETTER, account: 'work' }))).toBe('success');
    expect(codeOf(await run.client.request('email.send', LETTER))).toBe('rate_limited');
    expect(server.taken).toHaveLength(1);
  });

  it('says nothing of an account to a server that is not secure, or is another', async () => {
    const { operator, run } = await ready();
    await allow(operator, port);
    const attacks: readonly (readonly [Behaviour, string])[] = [
      [{ strips: true }, 'adapter_failed'],
      [{ injects: '250-mail.test\r\n250 AUTH PLAIN\r\n' }, 'adapter_failed'],
      [{ greets: '554 go away' }, 'adapter_failed'],
      [{ greets: `220-${'x'.repeat(70_000)}` }, 'adapter_failed'],
      [{ greets: '220-a\r\n'.repeat(200) }, 'adapter_failed'],
      [{ greets: 'HTTP/1.1 200 OK' }, 'adapter_failed'],
      // It speaks TLS from the first byte, where plain text was agreed on, and is not waited for.
      [{ cutsAt: 'starttls' }, 'adapter_failed'],
      [{ cutsAt: 'auth' }, 'adapter_failed'],
    ];
    for (const [behaviour, code] of attacks) {
      server.behaviour = behaviour;
      expect([behaviour, codeOf(await run.client.request('email.send', LETTER))]).toEqual([behaviour, code]);
    }
    expect(server.plain.filter((line) => /AUTH|MAIL|RCPT/i.test(line))).toEqual([]);
    expect(server.taken).toEqual([]);
  });

  it('trusts no certificate that is not of the authority, or of another name', async () => {
    const world = await start({ config: QUIET, resolver: RESOLVER });
    const operator = await world.operator();
    await operator.request('account.add', mailAccount({ smtp: { port, security: 'starttls' } }));
    await allow(operator, port);
    expect(codeOf(await operator.request('email.send', LETTER))).toBe('adapter_failed');
    expect(server.taken).toEqual([]);
    expect(server.plain).toEqual(['EHLO [127.0.0.1]', 'STARTTLS']);
  });

  it('tells what is known of a letter: refused, or handed over and not confirmed', async () => {
    const { world, operator, run } = await ready();
    await allow(operator, port);
    const cases: readonly (readonly [Behaviour, string, number])[] = [
      [{ refuses: 'eve@else.test' }, 'adapter_failed', 0],
      // Here the server is ready for the message, since the rest of the recipients would do: its end never
      // comes.
      [{ refuses: 'eve@else.test', pipelines: true }, 'adapter_failed', 0],
      [{ pipelines: true }, 'success', 1],
      [{ cutsAt: 'inside' }, 'in_doubt', 0],
      [{ cutsAt: 'data' }, 'adapter_failed', 0],
      [{ cutsAt: 'dot' }, 'in_doubt', 1],
      [{ final: '999 what' }, 'in_doubt', 1],
      [{ final: '552 too much' }, 'adapter_failed', 1],
      [{ cutsAt: 'answered' }, 'success', 1],
    ];
    for (const [behaviour, code, taken] of cases) {
      server.behaviour = behaviour;
      server.taken.length = 0;
      const told = codeOf(await run.client.request('email.send', LETTER));
      // What is cut inside is lost while it is written, or after: both are told truly.
      const expected = behaviour.cutsAt === 'inside' && told === 'adapter_failed' ? 'adapter_failed' : code;
      expect([behaviour, told, server.taken.length]).toEqual([behaviour, expected, taken]);
    }
    expect(world.rows('action_pending').filter(({ tool }) => tool === 'email.send')).toHaveLength(
      cases.length,
    );
  });

  it('says that the password is wrong, and that it works: `account.test`', async () => {
    const { operator, run } = await ready();
    expect(codeOf(await operator.request('account.test', { name: 'work' }))).toBe('not_allowed');
    await allow(operator, port);
    expect(codeOf(await operator.request('account.test', { name: 'work' }))).toBe('success');
    expect(codeOf(await operator.request('account.test', { name: 'work', part: 'imap' }))).toBe(
      'invalid_request',
    );
    const wrong = { ...mailAccount({ smtp: { port, security: 'starttls' } }), secret: 'another-word' };
    await operator.request('account.add', wrong);
    expect(codeOf(await operator.request('account.test', { name: 'work', part: 'smtp' }))).toBe(
      'credential_refused',
    );
    expect(codeOf(await run.client.request('email.send', LETTER))).toBe('credential_refused');
    expect(server.taken).toEqual([]);
  });
});
