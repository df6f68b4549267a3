import type { JsonObject } from '@subluminal/core-types';
import { expect, it } from 'vitest';
import {
  type Answer,
  CALENDAR,
  calendarWith,
  ics,
  multistatus,
  reporting,
  resource,
  sendXml,
} from './kit/dav.js';
import { newAuthority, sendJson, serve, type Seen } from './kit/https.js';
import { codeOf, given, records } from './kit/world.js';

const RANGE = { startDate: '2026-01-01T00:00:00Z', endDate: '2026-02-01T00:00:00Z' };
const EVENT = { title: 'x', startTime: '2026-01-02T10:00:00Z', endTime: '2026-01-02T11:00:00Z' };

it('whatever a server answers ends as an error that says so, and nobody else is asked', async () => {
  const authority = newAuthority();
  const elsewhere = await serve(authority, (_seen, response) => response.end());
  const away = `https://other.test:${elsewhere.port}`;
  const server = await serve(authority, (_seen, response) => response.end());
  const { world, allow, account } = await records(
    authority,
    '[rate_limits]\nglobal = 100000\ndefault = 10000\n',
  );
  const { port } = server;
  for (const name of ['cal', 'bank', 'fhir']) await allow(`${name}.test`, port);
  await allow('other.test', elsewhere.port);
  await account('calendar', 'c', { url: `https://cal.test:${port}/cal/`, user: 'ada' }, 'calendar-password');
  await account(
    'finance',
    'f',
    { origin: `https://bank.test:${port}` },
    `https://user:bank-password@bank.test:${port}/x`,
  );
  await account('health', 'h', { base: `https://fhir.test:${port}/r4` }, 'health-token-0001');
  const { client } = await world.run();
  const ask = (action: string, payload: JsonObject, answer: Answer) => {
    server.answer = answer;
    return client.request(action, payload);
  };
  const reads: readonly (readonly [string, JsonObject])[] = [
    ['calendar.fetch', RANGE],
    ['finance.fetch_transactions', {}],
    ['health.fetch', { dataType: 'steps' }],
  ];
  const every: Record<string, Answer> = {
    adapter_failed: (_seen, response) => response.writeHead(500).end('boom'),
    response_too_large: (_seen, response) => response.writeHead(207).end('x'.repeat(300_000)),
    credential_refused: (_seen, response) => response.writeHead(401).end(),
  };
  const odd: readonly Answer[] = [
    (_seen, response) => response.writeHead(302, { location: `${away}/` }).end(),
    (_seen, response) => response.writeHead(207, { 'content-encoding': 'gzip' }).end('no gzip'),
    (_seen, response) => response.end(Buffer.of(255, 254)),
    (_seen, response) => response.end('['.repeat(5000)),
    (_seen, response) => response.end('null'),
    (_seen, response) => response.end(),
    (_seen, response) => response.destroy(),
  ];
  for (const [action, payload] of reads) {
    for (const [code, answer] of Object.entries(every))
      expect([action, codeOf(await ask(action, payload, answer))]).toEqual([action, code]);
    for (const [index, answer] of odd.entries())
      expect([action, index, codeOf(await ask(action, payload, answer))]).toEqual([
        action,
        index,
        'adapter_failed',
      ]);
  }

  // XML: entities, document types, floods; hrefs on other origins, or with somebody's name in them.
  const bomb = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>';
  const outside = `<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>`;
  const xml = [
    `${bomb}<x>&b;</x>`,
    `${outside}<x>&a;</x>`,
    multistatus('<d:response>&undefined;</d:response>'),
    `${'<a>'.repeat(100)}${'</a>'.repeat(100)}`,
    multistatus('<d:response>'),
    multistatus(
      resource('/cal/', `<d:current-user-principal><d:href>${away}/p/</d:href></d:current-user-principal>`),
    ),
    multistatus(
      resource('/cal/', '<c:calendar-home-set><d:href>//other.test/h/</d:href></c:calendar-home-set>'),
    ),
    multistatus(
      resource('/cal/', '<c:calendar-home-set><d:href>http://cal.test/h/</d:href></c:calendar-home-set>'),
    ),
    multistatus(resource(`${away}/cal/`, CALENDAR)),
    multistatus(resource(`https://ada:pw@cal.test:${port}/cal/`, CALENDAR)),
    multistatus(),
  ];
  for (const [index, body] of xml.entries())
    expect([
      index,
      codeOf(await ask('calendar.fetch', RANGE, (_seen, response) => sendXml(response, body))),
    ]).toEqual([index, 'adapter_failed']);
  const loop: Answer = (seen, response) => response.writeHead(301, { location: `${seen.url}x` }).end();
  expect(codeOf(await ask('calendar.fetch', RANGE, loop))).toBe('adapter_failed');

  // Events that cannot be read hide none of the others; a rule that never matches ends.
  const fine = ics('DTSTART:20260105T100000Z', 'DURATION:PT1H', 'SUMMARY:Fine');
  const many = await ask(
    'calendar.fetch',
    RANGE,
    reporting(
      'garbage',
      'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nEND:VCALENDAR',
      ics('DTSTART:nope', 'SUMMARY:No time'),
      ics('DTSTART:20260101T000000Z', 'RRULE:FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30', 'SUMMARY:Never'),
      ics('DTSTART:20260101T000000Z', 'RRULE:FREQ=BOGUS', 'SUMMARY:Unknown rule'),
      ics('DTSTART;TZID=No/Where:20260106T090000', 'SUMMARY:No zone'),
      `BEGIN:VCALENDAR\r\nX${';A=b'.repeat(20_000)}:v\r\nEND:VCALENDAR`,
      fine,
    ),
  );
  const read = given(many);
  expect((read['events'] as JsonObject[]).map(({ title }) => title)).toEqual([
    'Never',
    'Unknown rule',
    'Fine',
    'No zone',
  ]);
  expect(read).toMatchObject({ unreadable: 2, truncated: true });
  const flood = given(
    await ask(
      'calendar.fetch',
      RANGE,
      reporting(ics('DTSTART:20260101T000000Z', 'RRULE:FREQ=MINUTELY', 'SUMMARY:x')),
    ),
  );
  expect([(flood['events'] as JsonObject[]).length, flood['truncated']]).toEqual([1000, true]);

  // Writing: what cannot be told apart is not overwritten, what was lost is in doubt, nothing is sent twice.
  const stored = (etag: string | undefined, put: Answer): Answer =>
    calendarWith((seen, response) => {
      if (seen.method === 'PUT') put(seen, response);
      else response.writeHead(200, etag === undefined ? {} : { etag }).end(fine);
    });
  const puts = () => server.seen.filter(({ method }) => method === 'PUT').length;
  const update = { ...EVENT, eventId: 'a.ics' };
  const writes: readonly (readonly [string, JsonObject, string, number, Answer])[] = [
    ['calendar.update', update, 'adapter_failed', 0, stored(undefined, (_s, response) => response.end())],
    ['calendar.update', update, 'adapter_failed', 0, stored('W/"1"', (_s, response) => response.end())],
    [
      'calendar.update',
      update,
      'adapter_failed',
      1,
      stored('"1"', (_s, response) => response.writeHead(412).end()),
    ],
    ['calendar.update', update, 'in_doubt', 1, stored('"1"', (_s, response) => response.destroy())],
    [
      'calendar.update',
      update,
      'adapter_failed',
      1,
      stored('"1"', (_s, response) => response.writeHead(302, { location: `${away}/` }).end()),
    ],
    ['calendar.create', EVENT, 'in_doubt', 1, stored('"1"', (_s, response) => response.destroy())],
    ['calendar.create', EVENT, 'replayed', 1, stored('"1"', (_s, response) => response.writeHead(412).end())],
    ['calendar.create', EVENT, 'success', 1, stored('"1"', (_s, response) => response.writeHead(201).end())],
  ];
  for (const [action, payload, code, sent, answer] of writes) {
    const before = puts();
    expect([action, codeOf(await ask(action, payload, answer)), puts() - before]).toEqual([
      action,
      code,
      sent,
    ]);
  }
  expect(
    server.seen
      .filter(({ method }) => method === 'PUT')
      .map(({ headers }) => headers['if-match'] ?? headers['if-none-match']),
  ).toEqual(['"1"', '"1"', '"1"', '*', '*', '*']);

  // Paging: for ever, backwards, elsewhere.
  const bundle = (next: string | undefined, entry: unknown[] = []) => ({
    resourceType: 'Bundle',
    link: next === undefined ? [] : [{ relation: 'next', url: next }],
    entry,
  });
  const health = (answer: Answer) => ask('health.fetch', { dataType: 'steps' }, answer);
  let page = 0;
  const before = server.seen.length;
  const endless = given(
    await health((_seen, response) => sendJson(response, bundle(`/r4?page=${(page += 1)}`))),
  );
  expect([endless['truncated'], server.seen.length - before]).toEqual([true, 20]);
  expect(given(await health((seen: Seen, response) => sendJson(response, bundle(seen.url))))).toMatchObject({
    truncated: false,
  });
  for (const next of [
    `${away}/r4/x`,
    '/r5/x',
    '/r4/../r5',
    '/r4/%2e%2e/r5',
    `https://x:y@fhir.test:${port}/r4/x`,
    'http://fhir.test/r4',
  ])
    expect([next, codeOf(await health((_seen, response) => sendJson(response, bundle(next))))]).toEqual([
      next,
      'adapter_failed',
    ]);
  const typed = given(
    await health((_seen, response) =>
      sendJson(
        response,
        bundle(undefined, [
          null,
          5,
          { resource: { resourceType: 'Observation', id: 5, code: [], valueQuantity: { value: 'x' } } },
          { resource: { resourceType: 'Patient' } },
        ]),
      ),
    ),
  );
  expect(typed['observations']).toEqual([
    { id: null, code: null, display: null, value: null, unit: null, effective: null, status: null },
  ]);
  const money = (accounts: unknown) =>
    ask('finance.fetch_transactions', {}, (_seen, response) => sendJson(response, { accounts }));
  for (const accounts of [
    5,
    [{ id: 'a', balance: 5 }],
    [{ balance: '5' }],
    [{ id: 'a', balance: '1e9' }],
    [{ id: 'a', balance: '1', transactions: [{ id: 'b', amount: 2 }] }],
  ])
    expect([accounts, codeOf(await money(accounts))]).toEqual([accounts, 'adapter_failed']);

  expect(elsewhere.seen).toEqual([]);
  const entries = JSON.stringify(world.rows());
  for (const secret of ['calendar-password', 'bank-password', 'health-token-0001'])
    expect(entries).not.toContain(secret);
});

it('a server that never answers is given up at the limit of the action', async () => {
  const authority = newAuthority();
  const server = await serve(authority, () => undefined);
  const { operator, allow, account } = await records(authority, '', 1500);
  const { port } = server;
  for (const name of ['cal', 'fhir']) await allow(`${name}.test`, port);
  await account('calendar', 'c', { url: `https://cal.test:${port}/cal/`, user: 'ada' }, 'calendar-password');
  await account('health', 'h', { base: `https://fhir.test:${port}/r4` }, 'health-token-0001');
  const answers = await Promise.all([
    operator.request('calendar.fetch', RANGE),
    operator.request('calendar.create', EVENT),
    operator.request('health.fetch', { dataType: 'steps' }),
  ]);
  expect(answers.map(codeOf)).toEqual(['timed_out', 'timed_out', 'timed_out']);
});
