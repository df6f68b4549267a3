import type { JsonObject } from '@subluminal/core-types';
import { expect, it } from 'vitest';
import { calendarWith, ics, reporting } from './kit/dav.js';
import { newAuthority, sendJson, serve } from './kit/https.js';
import { codeOf, given, records } from './kit/world.js';

const RANGE = { startDate: '2026-01-01T00:00:00Z', endDate: '2026-02-01T00:00:00Z' };
const GRIN = '\u{1f600}';
const FINE = ics('DTSTART:20260105T100000Z', 'DURATION:PT1H', 'SUMMARY:Fine', 'RRULE:FREQ=WEEKLY;COUNT=4');

const titlesOf = (data: JsonObject): unknown[] =>
  (data['events'] as JsonObject[]).map(({ title }) => title).filter((title) => title === 'Fine');

it('no invitation hides the others, and none keeps the gateway busy', async () => {
  const authority = newAuthority();
  const server = await serve(authority, (_seen, response) => response.end());
  const { operator, allow, account } = await records(authority, '[rate_limits]\nglobal = 1000\n');
  await allow('cal.test', server.port);
  await account('calendar', 'c', { url: `https://cal.test:${server.port}/cal/`, user: 'ada' }, 'pass-word-1');
  const fetched = async (...objects: string[]) => {
    server.answer = reporting(...objects, FINE);
    return given(await operator.request('calendar.fetch', RANGE));
  };

  // Names that are cut within a character.
  const long = `${'a'.repeat(319)}${GRIN}`;
  const cut = await fetched(
    ics('DTSTART:20260103T100000Z', `ATTENDEE;CN=${long}:mailto:${long}`, `ORGANIZER;PARTSTAT=${long}:x`),
    ics(`DTSTART;TZID=${'z'.repeat(127)}${GRIN}:20260103T100000`, `SUMMARY:${'t'.repeat(1023)}${GRIN}`),
  );
  expect(titlesOf(cut)).toHaveLength(4);
  expect((cut['events'] as JsonObject[])[0]?.['attendees']).toEqual([
    { address: `${'a'.repeat(319)}\u{fffd}`, name: `${'a'.repeat(319)}\u{fffd}` },
  ]);

  // Much that is said often: as much of it as an answer holds.
  const crowd = Array.from({ length: 3000 }, (_, at) => `ATTENDEE;CN=a:mailto:x${at}@y`);
  const often = ['DTSTART:20260106T000000Z', 'RRULE:FREQ=MINUTELY'];
  const words = `DESCRIPTION:${'d'.repeat(8192)}`;
  const crowded = await fetched(ics(...often, ...crowd, words));
  expect([crowded['truncated'], titlesOf(crowded)]).toEqual([true, ['Fine']]);
  expect((crowded['events'] as JsonObject[]).length).toBeGreaterThan(100);

  // What one object costs is not taken from the others.
  const never = ics('DTSTART:20260101T000000Z', 'RRULE:FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30');
  const numbers = (count: number): string => Array.from({ length: count }, (_, at) => at).join(',');
  const always = `BYDAY=MO,TU,WE,TH,FR,SA,SU;BYHOUR=${numbers(24)};BYMINUTE=${numbers(60)}`;
  const spring = ics('DTSTART:20250101T000000Z', `RRULE:FREQ=YEARLY;BYMONTH=3,4,5;${always}`);
  const dear = await fetched(never, never, never, spring);
  expect([titlesOf(dear).length, dear['unreadable'], dear['truncated']]).toEqual([4, undefined, true]);
  const dates = Array.from({ length: 9000 }, (_, at) => `2026010${at % 9}T0000${10 + (at % 50)}`).join(',');
  const listed = await fetched(ics('DTSTART;TZID=Europe/Berlin:20260101T000000', `RDATE:${dates}`));
  expect([titlesOf(listed).length, listed['unreadable'], listed['truncated']]).toEqual([4, 1, true]);

  // The zones of a mail program that begin in 1601, one an object.
  const zone = ['STANDARD:1025:+0200:+0100:10', 'DAYLIGHT:0325:+0100:+0200:3'].flatMap((text) => {
    const [name, , from, to, month] = text.split(':');
    return [
      `BEGIN:${name}`,
      'DTSTART:16010101T020000',
      `TZOFFSETFROM:${from}`,
      `TZOFFSETTO:${to}`,
      `RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=${month}`,
      `END:${name}`,
    ];
  });
  const described = FINE.replace(
    'BEGIN:VEVENT',
    ['BEGIN:VTIMEZONE', 'TZID:W', ...zone, 'END:VTIMEZONE', 'BEGIN:VEVENT'].join('\r\n'),
  ).replace('DTSTART:20260105T100000Z', 'DTSTART;TZID=W:20260105T100000');
  const many = await fetched(...Array.from({ length: 20 }, () => described));
  expect([titlesOf(many).length, many['truncated']]).toEqual([84, false]);
  expect((many['events'] as JsonObject[])[0]).toMatchObject({ start: '2026-01-05T09:00:00Z' });
});

it('what is said in an error is recorded and answered, wherever it was cut', async () => {
  const authority = newAuthority();
  const server = await serve(
    authority,
    calendarWith((_seen, response) => response.end()),
  );
  const { world, allow, account } = await records(authority);
  const { port } = server;
  for (const name of ['cal', 'bank', 'fhir']) await allow(`${name}.test`, port);
  await account('calendar', 'c', { url: `https://cal.test:${port}/cal/`, user: 'ada' }, 'calendar-password');
  await account('health', 'h', { base: `https://fhir.test:${port}/r4` }, 'health-token-0001');
  await account(
    'finance',
    'f',
    { origin: `https://bank.test:${port}` },
    `https://u:passw0rd@bank.test:${port}/`,
  );
  const { client } = await world.run();
  const last = (): unknown[] => {
    const row = world.rows().at(-1);
    return [row?.type, (row?.data['error'] as JsonObject | undefined)?.['code']];
  };
  const rejected = await client.request('calendar.fetch', { ...RANGE, [`${'k'.repeat(199)}${GRIN}`]: 1 });
  expect([codeOf(rejected), ...last()]).toEqual(['invalid_request', 'action_rejected', 'invalid_request']);
  const calendarId = `${'a'.repeat(299)}${GRIN}`;
  const unknown = await client.request('calendar.fetch', { ...RANGE, calendarId });
  expect([codeOf(unknown), ...last()]).toEqual(['not_found', 'action_result', 'not_found']);
  server.answer = (_seen, response) => {
    const diagnostics = `${'a'.repeat(291)}${GRIN.repeat(9)}`;
    sendJson(response, { resourceType: 'OperationOutcome', issue: [{ code: 'x', diagnostics }] }, 400);
  };
  for (let odd = 0; odd < 2; odd += 1) {
    const failed = await client.request('health.fetch', { dataType: odd === 0 ? 'steps' : 'sleep' });
    expect([codeOf(failed), ...last()]).toEqual(['adapter_failed', 'action_result', 'adapter_failed']);
  }
  server.answer = (_seen, response) =>
    sendJson(response, { accounts: [], errors: [`${'a'.repeat(1023)}${GRIN}`] });
  expect(given(await client.request('finance.fetch_transactions', {}))['errors']).toEqual([
    `${'a'.repeat(1023)}\u{fffd}`,
  ]);
});
