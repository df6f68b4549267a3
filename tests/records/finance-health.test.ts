import { describe, expect, it } from 'vitest';
import { fhir, TOKEN } from './kit/fhir.js';
import { newAuthority } from './kit/https.js';
import { PASSWORD, simplefin } from './kit/simplefin.js';
import { codeOf, given, records } from './kit/world.js';

describe('finance.fetch_transactions', () => {
  it('gives what a SimpleFIN server has, amounts as they are written, the newest first', async () => {
    const authority = newAuthority();
    const bank = await simplefin(authority);
    const { world, operator, allow, account } = await records(authority);
    await account('finance', 'bank', { origin: `https://bank.test:${bank.port}` }, bank.accessUrl);
    await allow('bank.test', bank.port);
    const run = await world.run();
    const all = given(await run.client.request('finance.fetch_transactions', {}));
    expect(all).toEqual({
      accounts: [
        {
          id: '2930002',
          name: 'Savings',
          currency: 'USD',
          balance: '100.23',
          availableBalance: '75.23',
          balanceDate: '2001-01-01T16:22:33.000Z',
        },
        {
          id: '2930003',
          name: 'Miles',
          currency: 'https://www.example.com/flight-miles',
          balance: '0.1000000000000000000001',
          balanceDate: '2001-01-01T16:22:33.000Z',
        },
      ],
      transactions: [
        {
          id: '12394832938404',
          accountId: '2930002',
          posted: null,
          amount: '12.00',
          description: 'On its way',
          pending: true,
        },
        {
          id: '1',
          accountId: '2930003',
          posted: '1998-04-20T16:42:52.000Z',
          amount: '5',
          description: 'Flight',
          pending: false,
        },
        {
          id: '12394832938403',
          accountId: '2930002',
          posted: '1995-02-18T06:56:12.000Z',
          amount: '-33293.43',
          description: "Uncle Frank's Bait Shop",
          pending: false,
        },
      ],
      errors: [
        {
          code: 'con.auth',
          msg: 'Authentication failed for My Bank - Jim',
          conn_id: 'CON-21983498-29349823984293842',
        },
      ],
      truncated: false,
    });
    const one = given(
      await run.client.request('finance.fetch_transactions', {
        account: 'bank',
        accountId: '2930003',
        startDate: '1997-01-01T00:00:00Z',
        limit: 1,
      }),
    );
    expect(one).toMatchObject({ transactions: [{ id: '1' }], truncated: false });
    expect(bank.seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /simplefin/accounts',
      'GET /simplefin/accounts?start-date=852076800&account=2930003',
    ]);
    expect(codeOf(await run.client.request('finance.fetch_transactions', { account: 'none' }))).toBe(
      'account_unknown',
    );
    expect(given(await operator.request('finance.fetch_transactions', { limit: 2 }))).toMatchObject({
      truncated: true,
    });
    // What the bank echoes of the account's password reaches nobody.
    bank.answer = (_seen, response) => response.writeHead(400).end();
    bank.answer = (_seen, response) =>
      response.end(JSON.stringify({ errors: [`bad password ${PASSWORD}`], accounts: [] }));
    const echoed = JSON.stringify(given(await run.client.request('finance.fetch_transactions', {})));
    expect(echoed).toContain('[REDACTED:');
    expect(echoed).not.toContain(PASSWORD);
    bank.answer = (_seen, response) => response.writeHead(403).end('Forbidden');
    expect(codeOf(await run.client.request('finance.fetch_transactions', {}))).toBe('credential_refused');
    expect(JSON.stringify(world.rows())).not.toContain(PASSWORD);
  });
});

describe('health.fetch', () => {
  it('gives the observations of a FHIR server as flat objects, over its pages', async () => {
    const authority = newAuthority();
    const server = await fhir(authority);
    const { world, allow, account } = await records(authority);
    await account(
      'health',
      'clinic',
      { base: `https://fhir.test:${server.port}/r4`, patient: 'example' },
      TOKEN,
    );
    await allow('fhir.test', server.port);
    const { client } = await world.run();
    const heart = given(await client.request('health.fetch', { dataType: 'heart_rate' }));
    expect(heart).toMatchObject({
      truncated: false,
      observations: [0, 1, 2, 3, 4].map((index) => ({
        id: `heart-rate-${index}`,
        code: '8867-4',
        display: 'Heart rate',
        value: 44 + index,
        unit: 'beats/minute',
        effective: `1999-07-0${index + 1}`,
        status: 'final',
      })),
    });
    expect(server.seen).toHaveLength(3);
    expect(new URL(server.seen[0]?.url ?? '', 'https://x.test').searchParams.toString()).toBe(
      'patient=example&code=http%3A%2F%2Floinc.org%7C8867-4&_sort=-date&_count=200',
    );
    const pressure = given(
      await client.request('health.fetch', { dataType: 'loinc:85354-9', startDate: '2010-01-01T00:00:00Z' }),
    );
    expect(pressure['observations']).toEqual([
      {
        id: 'blood-pressure',
        code: '85354-9',
        display: 'Blood pressure panel',
        value: null,
        unit: null,
        effective: '2012-09-17T10:00:00Z',
        effectiveEnd: '2012-09-17T10:05:00Z',
        status: 'final',
        components: [
          { code: '8480-6', display: 'Systolic blood pressure', value: 107, unit: 'mmHg' },
          { code: '8462-4', display: 'Diastolic blood pressure', value: 60, unit: 'mmHg' },
        ],
      },
    ]);
    const few = given(await client.request('health.fetch', { dataType: 'vital_signs', limit: 3 }));
    expect(few['observations']).toHaveLength(3);
    expect(few['truncated']).toBe(true);
    const unknown = await client.request('health.fetch', { dataType: 'mood' });
    expect([unknown.error?.code, unknown.error?.help]).toEqual([
      'invalid_request',
      expect.stringContaining('`heart_rate`'),
    ]);
    await account(
      'health',
      'old',
      { base: `https://fhir.test:${server.port}/r4`, patient: 'example' },
      'a-token-of-yesterday',
    );
    const refused = await client.request('health.fetch', { account: 'old', dataType: 'steps' });
    expect([refused.error?.code, refused.error?.message]).toEqual([
      'credential_refused',
      `\`https://fhir.test:${server.port}\` refused the account's credentials (401): error login the token is not valid`,
    ]);
    expect(JSON.stringify(world.rows())).not.toContain(TOKEN);
  });
});
