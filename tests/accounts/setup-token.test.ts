import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { ActionResponse } from '@subluminal/core-types';
import { connectGateway, homePaths, readCredential, type GatewayClient } from '@subluminal/ipc';
import { describe, expect, it } from 'vitest';
import { after, dataOf, temporaryHome } from '../gateway/harness.js';
import { runSub } from '../harness/resident.js';
import { newAuthority } from '../records/kit/https.js';
import { PASSWORD, setupToken, simplefin, USER } from '../records/kit/simplefin.js';
import { codeOf, given, records } from '../records/kit/world.js';
import { programOf } from '../support/programs.js';

const PROGRAM = programOf('mail-gateway');

async function bank() {
  const authority = newAuthority();
  const server = await simplefin(authority);
  const place = await records(authority);
  const claim = (token: string, more: Record<string, unknown> = {}): Promise<ActionResponse> =>
    place.operator.request('account.claim', { name: 'bank', token, ...more });
  return { ...place, authority, server, claim, token: (id: string) => setupToken(server.port, id) };
}

describe('a setup token', () => {
  it('becomes an account by one request, through the allowlist and the record, and neither it nor the access URL is ever shown', async () => {
    const { world, operator, server, claim, token, allow } = await bank();
    const one = token('one');
    const run = await world.run();
    expect(codeOf(await run.client.request('account.claim', { name: 'bank', token: one }))).toBe(
      'not_permitted',
    );
    const refused = await claim(one);
    expect(refused.error).toMatchObject({
      code: 'not_allowed',
      help: `\`sub allow add bank.test:${server.port}\``,
    });
    expect(server.seen).toEqual([]);
    await allow('bank.test', server.port);
    const claimed = await claim(`${one.slice(0, 30)}\n${one.slice(30)}`);
    const origin = `https://bank.test:${server.port}`;
    expect(dataOf(claimed)).toEqual({
      name: 'bank',
      kind: 'finance',
      change: 'added',
      reaches: [{ host: 'bank.test', port: server.port, origin, allowed: true }],
    });
    expect(
      server.seen.map(({ method, url, headers, body }) => [
        method,
        url,
        headers['content-length'],
        headers.authorization,
        body,
      ]),
    ).toEqual([['POST', '/simplefin/claim/one', '0', undefined, '']]);
    expect(dataOf(await operator.request('account.list', {}))).toMatchObject({
      accounts: [{ name: 'bank', kind: 'finance', settings: { origin } }],
    });
    expect(given(await run.client.request('finance.fetch_transactions', {}))['accounts']).toHaveLength(2);

    // It works once, and is not even sent again.
    const again = await claim(one, { replace: true });
    expect([codeOf(again), again.error?.message]).toEqual([
      'usage',
      expect.stringMatching(/^this setup token was claimed at 2/),
    ]);
    expect(one).toMatch(/=$/);
    expect(codeOf(await claim(one.replaceAll('=', ''), { replace: true }))).toBe('usage');
    expect(codeOf(await claim(token('two')))).toBe('usage');
    expect(server.claims).toEqual(['one']);
    expect(codeOf(await claim(token('two'), { replace: true }))).toBe('success');

    const rows = world.rows();
    expect(
      rows
        .filter(({ tool, type }) => tool === 'account.claim' && type !== 'anomaly')
        .map(({ type, code }) => [type, code]),
    ).toEqual([
      ['action_rejected', 'rejected'],
      ['action_rejected', 'rejected'],
      ['action_pending', 'pending'],
      ['action_result', 'success'],
      ['action_rejected', 'rejected'],
      ['action_rejected', 'rejected'],
      ['action_rejected', 'rejected'],
      ['action_pending', 'pending'],
      ['action_result', 'success'],
    ]);
    expect(rows.filter(({ type }) => type === 'account_changed').map(({ data }) => data['account'])).toEqual(
      ['added', 'replaced'].map((change) => ({ change, name: 'bank', kind: 'finance', origins: [origin] })),
    );
    const told = JSON.stringify([rows, claimed, again]);
    for (const secret of [one, 'claim/one', PASSWORD, encodeURIComponent(PASSWORD), USER])
      expect(told).not.toContain(secret);
    await world.gateway.stop('test');
    expect(await world.verify()).toBe('ok');
  });

  it('that cannot be one, or leads where nothing may go, is not sent', async () => {
    const { claim, server, operator } = await bank();
    const of = (url: string): string => Buffer.from(url).toString('base64');
    for (const [token, code] of [
      ['a-password-of-somebody', 'invalid_request'],
      [of(`http://bank.test:${server.port}/simplefin/claim/one`), 'invalid_request'],
      [of(`https://user:word@bank.test:${server.port}/claim`), 'invalid_request'],
      [of('https://127.0.0.1:8443/claim/a'), 'not_allowed'],
      [of('https://elsewhere.test/claim/a'), 'not_allowed'],
    ] as const)
      expect([token, codeOf(await claim(token))]).toEqual([token, code]);
    await operator.request('allow.add', { host: 'bank.test', port: server.port });
    expect(codeOf(await claim(setupToken(server.port, 'one')))).toBe('address_refused');
    expect(server.seen).toEqual([]);
  });

  it('that the service refuses may be asked for again; one whose answer is lost, or is none, counts as used up', async () => {
    const { claim, server, token, allow, operator } = await bank();
    await allow('bank.test', server.port);
    const answer = server.answer;
    const messages = async (id: string): Promise<unknown[]> => {
      const first = await claim(token(id));
      const second = await claim(token(id));
      return [codeOf(first), first.error?.message.replaceAll(/\b20\d\d-[-\d:.TZ]+/g, 'T'), codeOf(second)];
    };
    const origin = `https://bank.test:${server.port}`;
    server.answer = (_, response) => void response.writeHead(403).end('Forbidden');
    expect(await messages('refused')).toEqual([
      'credential_refused',
      `\`${origin}\` refused the setup token (403): it was used before, or is none`,
      'credential_refused',
    ]);
    server.answer = (_, response) => void response.writeHead(302, { location: `${origin}/other` }).end();
    expect((await messages('moved'))[0]).toBe('adapter_failed');
    const asked = server.seen.length;
    server.answer = (_, response) => void response.socket?.destroy();
    expect(await messages('lost')).toEqual([
      'in_doubt',
      `the setup token was sent to \`${origin}\`, and its answer was lost: it counts as used up`,
      'interrupted',
    ]);
    for (const [id, body] of [
      ['words', 'come back tomorrow'],
      ['plain', 'http://user:password@bank.test/simplefin'],
      ['nobody', 'https://bank.test/simplefin'],
    ] as const) {
      server.answer = (_, response) => void response.end(body);
      expect(await messages(id)).toEqual([
        'adapter_failed',
        `\`${origin}\` took the setup token, and answered with something that is no access URL: the token is used up`,
        'interrupted',
      ]);
    }
    expect(server.seen).toHaveLength(asked + 4);
    expect(dataOf(await operator.request('account.list', {}))).toEqual({ accounts: [] });
    server.answer = answer;
    expect(codeOf(await claim(token('refused')))).toBe('success');
  });

  it('is taken by `sub account add finance` from standard input, as an access URL is', async () => {
    const { world, server, token, allow } = await bank();
    const { home } = world.paths;
    const add = (name: string, secret: string, ...flags: string[]) =>
      runSub(['account', 'add', 'finance', name, '--home', home, ...flags], { input: secret });
    const origin = `https://bank.test:${server.port}`;
    const [elsewhere, unlisted, junk, open] = await Promise.all([
      add('a', token('one'), '--origin', 'https://other.test'),
      add('b', token('one')),
      add('c', 'neither of both'),
      add('d', 'http://user:word@bank.test/simplefin'),
    ]);
    expect([elsewhere.code, elsewhere.stderr]).toEqual([2, expect.stringContaining('it was not sent')]);
    expect([unlisted.code, unlisted.stderr]).toEqual([
      3,
      expect.stringContaining(`\`sub allow add bank.test:${server.port}\``),
    ]);
    expect([junk.code, junk.stderr]).toEqual([
      2,
      expect.stringContaining('neither a setup token nor an access URL'),
    ]);
    expect([open.code, open.stderr]).toEqual([
      2,
      expect.stringContaining('error[usage]: the access URL is one without TLS'),
    ]);
    expect(open.stderr).not.toContain('word');
    await allow('bank.test', server.port);
    const added = await add('bank', `${token('one')}\n`, '--origin', origin);
    expect(added).toMatchObject({
      code: 0,
      stdout: '`bank` is added\nthen try it: sub account test bank\n',
      stderr: '',
    });
    const [again, direct] = await Promise.all([add('twice', token('one')), add('direct', server.accessUrl)]);
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('it works once')]);
    expect([direct.code, direct.stdout]).toEqual([0, expect.stringContaining('`direct` is added')]);
    expect(JSON.stringify([elsewhere, unlisted, junk, added, again, direct])).not.toContain(PASSWORD);
    expect(server.claims).toEqual(['one']);
  });

  it('whose gateway is killed between the claim and the account is reported as used up, and never sent again', async () => {
    const authority = newAuthority();
    const server = await simplefin(authority);
    const place = temporaryHome();
    const paths = homePaths(place.home);
    writeFileSync(paths.config, '', { mode: 0o600 });
    const gateway = async (): Promise<ChildProcess> => {
      const child = fork(PROGRAM, [place.home, place.headsLog, authority.caFile], {
        stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      });
      after(() => void child.kill('SIGKILL'));
      if (child.stdout !== null) await once(child.stdout, 'data');
      return child;
    };
    const open = (): Promise<GatewayClient> =>
      connectGateway({
        socketPath: paths.socket,
        credential: readCredential(paths.operatorKey),
        clock: Date.now,
      });
    const first = await gateway();
    const asking = await open();
    await asking.request('allow.add', { host: 'bank.test', port: server.port, allow_private: true });
    const { answer } = server;
    const ended = once(first, 'exit');
    server.answer = (seen, response) => {
      first.kill('SIGKILL');
      answer(seen, response);
    };
    const payload = { name: 'bank', token: setupToken(server.port, 'one') };
    const id = 'claim-one';
    await expect(asking.request('account.claim', payload, { id })).rejects.toMatchObject({
      code: 'gateway_unreachable',
    });
    await ended;

    await gateway();
    const back = await open();
    after(() => back.close());
    expect(codeOf(await back.request('account.claim', payload, { id }))).toBe('interrupted');
    const other = await back.request('account.claim', payload);
    expect([codeOf(other), other.error?.message]).toEqual([
      'interrupted',
      expect.stringMatching(/^this setup token was sent at .* it counts as used up$/),
    ]);
    expect(server.claims).toEqual(['one']);
    expect(dataOf(await back.request('account.list', {}))).toEqual({ accounts: [] });
  });
});
