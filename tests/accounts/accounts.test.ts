import { canonicalize } from '@subluminal/core-types';
import SqliteDatabase from 'better-sqlite3';
import { expect, it } from 'vitest';
import { dataOf, start } from '../gateway/harness.js';

const PASSWORD = 'word-4711-of-the-mail';
const SALT = 's'.repeat(24);
const MAIL = {
  name: 'work',
  kind: 'email',
  settings: {
    address: 'ada@example.test',
    user: 'ada',
    imap: { host: 'IMAP.example.test', port: 993, security: 'tls' },
    smtp: { host: 'smtp.example.test', port: 587, security: 'starttls' },
  },
  secret: PASSWORD,
  salt: SALT,
};

it('keeps an account, opens nothing by it, and records each change without what is secret', async () => {
  const world = await start();
  const operator = await world.operator();
  const added = await operator.request('account.add', MAIL);
  expect(dataOf(added)).toEqual({
    name: 'work',
    kind: 'email',
    change: 'added',
    reaches: [
      { host: 'imap.example.test', port: 993, origin: 'imaps://imap.example.test', allowed: false },
      { host: 'smtp.example.test', port: 587, origin: 'smtp://smtp.example.test', allowed: false },
    ],
  });
  expect((await operator.request('account.add', MAIL)).error?.code).toBe('usage');
  await operator.request('allow.add', { host: 'smtp.example.test', port: 587 });
  const other = { ...MAIL, secret: `${PASSWORD}-2`, replace: true };
  expect(dataOf(await operator.request('account.add', other))).toMatchObject({
    change: 'replaced',
    reaches: [{ allowed: false }, { allowed: true }],
  });
  const listed = await operator.request('account.list', { kind: 'email' });
  expect(dataOf(listed)).toMatchObject({
    accounts: [{ name: 'work', kind: 'email', settings: MAIL.settings, used_at: null, uses: 0 }],
  });
  expect(dataOf(await operator.request('account.list', { kind: 'api' }))).toEqual({ accounts: [] });
  // A secret of an account is not one of those that servers get, and cannot be asked for as one.
  expect(dataOf(await operator.request('secrets.list', {}))).toEqual({ secrets: [] });
  expect((await operator.request('secrets.reveal', { name: 'account:work' })).error?.code).toBe(
    'invalid_request',
  );
  expect((await operator.request('account.remove', { name: 'work' })).status).toBe('success');
  expect((await operator.request('account.remove', { name: 'work' })).error?.code).toBe('account_unknown');

  const rows = world.rows();
  expect(rows.filter(({ type }) => type === 'account_changed').map(({ data }) => data['account'])).toEqual(
    ['added', 'replaced', 'removed'].map((change) => ({
      change,
      name: 'work',
      kind: 'email',
      origins: ['imaps://imap.example.test', 'smtp://smtp.example.test'],
    })),
  );
  expect(canonicalize([added.data ?? null, listed.data ?? null])).not.toContain(PASSWORD);
  expect(JSON.stringify(rows)).not.toContain(PASSWORD);
  await world.gateway.stop('test');
  const db = new SqliteDatabase(world.paths.gatewayDb, { readonly: true });
  expect(db.prepare('SELECT name FROM secret').all()).toEqual([]);
  db.close();
  expect(await world.verify()).toBe('ok');
});

it('takes no account of a run, and none that could send its secret elsewhere', async () => {
  const world = await start();
  const [run, operator] = [await world.run(), await world.operator()];
  for (const [action, payload] of [
    ['account.add', MAIL],
    ['account.list', {}],
    ['account.remove', { name: 'work' }],
    ['account.test', { name: 'work' }],
  ] as const)
    expect((await run.client.request(action, payload)).error?.code).toBe('not_permitted');
  const bank = {
    name: 'bank',
    kind: 'finance',
    salt: SALT,
    settings: { origin: 'https://bridge.example.test' },
  };
  const mistakes = [
    { ...MAIL, secret: 'short' },
    { ...MAIL, secret: `${PASSWORD}\r\nRCPT TO:<eve@evil.test>` },
    { ...bank, secret: 'https://user:password@evil.test/simplefin' },
    { ...bank, secret: 'https://bridge.example.test/simplefin' },
    { ...bank, secret: 'http://user:password@bridge.example.test/simplefin' },
  ];
  for (const mistake of mistakes)
    expect((await operator.request('account.add', mistake)).error?.code).toBe('usage');
  const nowhere = { ...MAIL.settings, imap: { host: 'a b', port: 993, security: 'tls' } };
  expect((await operator.request('account.add', { ...MAIL, settings: nowhere })).error?.code).toBe(
    'invalid_request',
  );
  expect(dataOf(await operator.request('account.list', {}))).toEqual({ accounts: [] });
  expect(JSON.stringify(world.rows())).not.toContain(PASSWORD);
});

it('is tried as its own actions are: not without an entry of the allowlist', async () => {
  const world = await start();
  const operator = await world.operator();
  const api = { name: 'api', kind: 'api', salt: SALT, settings: { origin: 'https://api.example.test' } };
  expect((await operator.request('account.add', { ...api, secret: 'a-bearer-token' })).status).toBe(
    'success',
  );
  expect((await operator.request('account.test', { name: 'other' })).error?.code).toBe('account_unknown');
  expect((await operator.request('account.add', MAIL)).status).toBe('success');
});

it('an approval is for the account that it was asked with, and for no other in its place', async () => {
  const world = await start({
    config: '[anomaly]\nnew_domain = "approve"\n',
    resolver: { resolve: () => Promise.resolve(['127.0.0.1']) },
  });
  const operator = await world.operator();
  for (const host of ['one.test', 'other.test'])
    await operator.request('allow.add', { host, port: 9, allow_private: true });
  const calendar = (host: string, replace: boolean) =>
    operator.request('account.add', {
      name: 'work',
      kind: 'calendar',
      salt: SALT,
      settings: { url: `https://${host}:9/`, user: 'ada' },
      secret: PASSWORD,
      replace,
    });
  const { client } = await world.run();
  const event = { title: 'x', startTime: '2026-01-02T10:00:00Z', endTime: '2026-01-02T11:00:00Z' };
  const asked = async (): Promise<unknown> => {
    const { error } = await client.request('calendar.create', event);
    return error?.details?.['approval_id'] ?? error?.code;
  };
  await calendar('one.test', false);
  const first = await asked();
  expect((await operator.request('approvals.approve', { approval_id: first })).status).toBe('success');
  await calendar('other.test', true);
  const second = await asked();
  expect([second === first, typeof second]).toEqual([false, 'string']);
  expect(second).not.toBe('adapter_failed');
  // What waits is about an account that is not there any more.
  await operator.request('account.remove', { name: 'work' });
  const late = await operator.request('approvals.approve', { approval_id: second });
  expect(late.error?.code).toBe('approval_not_found');
  // Without a change it is good, once: nothing listens there.
  await calendar('one.test', false);
  await operator.request('approvals.approve', { approval_id: await asked() });
  expect(await asked()).toBe('adapter_failed');
});
