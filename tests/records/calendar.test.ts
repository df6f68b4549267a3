import { request } from 'node:https';
import { readFileSync } from 'node:fs';
import type { JsonObject } from '@subluminal/core-types';
import { describe, expect, it } from 'vitest';
import { basic, newAuthority, type Authority } from './kit/https.js';
import { HAS_RADICALE, PASSWORD, radicale, USER } from './kit/radicale.js';
import { codeOf, given, records } from './kit/world.js';

/** A request of the test's own, past the gateway. */
function dav(authority: Authority, port: number, method: string, path: string, body = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        host: '127.0.0.1',
        port,
        method,
        path,
        servername: 'cal.test',
        ca: readFileSync(authority.caFile),
        headers: {
          authorization: basic(USER, PASSWORD),
          depth: '1',
          'content-type': body.startsWith('<') ? 'text/xml' : 'text/calendar',
        },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (text += chunk));
        response.on('end', () => resolve(text));
      },
    );
    asked.on('error', reject);
    asked.end(body);
  });
}

const FOLDER = `/${encodeURIComponent(USER)}`;

function collection(name: string, component = 'VEVENT'): string {
  return `<d:mkcol xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><d:set><d:prop><d:resourcetype><d:collection/><c:calendar/></d:resourcetype><c:supported-calendar-component-set><c:comp name="${component}"/></c:supported-calendar-component-set><d:displayname>${name}</d:displayname></d:prop></d:set></d:mkcol>`;
}

/** A series in Berlin, every weekday but one, one of them later and shorter; and what a phone adds to it. */
const SERIES = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'PRODID:-//A phone//EN',
  'X-WR-CALNAME:Team',
  'BEGIN:VTIMEZONE',
  'TZID:Berlin of the phone',
  'BEGIN:DAYLIGHT',
  'TZOFFSETFROM:+0100',
  'TZOFFSETTO:+0200',
  'DTSTART:19810329T020000',
  'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU',
  'END:DAYLIGHT',
  'BEGIN:STANDARD',
  'TZOFFSETFROM:+0200',
  'TZOFFSETTO:+0100',
  'DTSTART:19961027T030000',
  'RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU',
  'END:STANDARD',
  'END:VTIMEZONE',
  'BEGIN:VEVENT',
  'UID:daily-1',
  'DTSTAMP:20260301T000000Z',
  'SEQUENCE:4',
  'DTSTART;TZID=Berlin of the phone:20260325T090000',
  'DTEND;TZID=Berlin of the phone:20260325T091500',
  'RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;COUNT=6',
  'EXDATE;TZID=Berlin of the phone:20260327T090000',
  'SUMMARY:Stand-up\\, daily',
  'LOCATION:Room 1',
  'ORGANIZER;CN=Ada:mailto:ada@example.com',
  'ATTENDEE;PARTSTAT=ACCEPTED;CN=Bob:mailto:bob@example.com',
  'ATTENDEE;PARTSTAT=DECLINED:mailto:carl@example.com',
  'X-PHONE-COLOUR;SHADE="light;red":7',
  'BEGIN:VALARM',
  'ACTION:DISPLAY',
  'TRIGGER:-PT5M',
  'DESCRIPTION:Now',
  'END:VALARM',
  'END:VEVENT',
  'BEGIN:VEVENT',
  'UID:daily-1',
  'DTSTAMP:20260301T000000Z',
  'RECURRENCE-ID;TZID=Berlin of the phone:20260330T090000',
  'DTSTART;TZID=Berlin of the phone:20260330T100000',
  'DTEND;TZID=Berlin of the phone:20260330T100500',
  'SUMMARY:Short one',
  'END:VEVENT',
  'END:VCALENDAR',
  '',
].join('\r\n');

describe.skipIf(!HAS_RADICALE)('a calendar of Radicale', () => {
  it('is read, written and changed by its actions, and loses nothing that they do not know', async () => {
    const authority = newAuthority();
    const { port } = await radicale(authority);
    await dav(authority, port, 'MKCOL', `${FOLDER}/a-main/`, collection('Main'));
    await dav(authority, port, 'MKCOL', `${FOLDER}/tasks/`, collection('Tasks', 'VTODO'));
    await dav(authority, port, 'MKCOL', `${FOLDER}/work/`, collection('At work'));
    await dav(authority, port, 'PUT', `${FOLDER}/work/daily.ics`, SERIES);
    const { world, operator, allow, account } = await records(authority);
    await account('calendar', 'mine', { url: `https://cal.test:${port}/`, user: USER }, PASSWORD);
    await allow('cal.test', port);
    const { client } = await world.run();

    const march = { startDate: '2026-03-20T00:00:00Z', endDate: '2026-04-20T00:00:00Z' };
    const read = given(await client.request('calendar.fetch', { ...march, calendarId: 'At work' }));
    const events = read['events'] as JsonObject[];
    // The clocks change on 29 March: nine o'clock is another moment after it.
    expect(events.map(({ start, end, title }) => [start, end, title])).toEqual([
      ['2026-03-25T08:00:00Z', '2026-03-25T08:15:00Z', 'Stand-up, daily'],
      ['2026-03-26T08:00:00Z', '2026-03-26T08:15:00Z', 'Stand-up, daily'],
      ['2026-03-30T08:00:00Z', '2026-03-30T08:05:00Z', 'Short one'],
      ['2026-03-31T07:00:00Z', '2026-03-31T07:15:00Z', 'Stand-up, daily'],
      ['2026-04-01T07:00:00Z', '2026-04-01T07:15:00Z', 'Stand-up, daily'],
    ]);
    expect(events[0]).toMatchObject({
      eventId: 'daily.ics',
      etag: expect.stringMatching(/^"/),
      uid: 'daily-1',
      allDay: false,
      timeZone: 'Berlin of the phone',
      location: 'Room 1',
      description: null,
      organizer: { address: 'ada@example.com', name: 'Ada' },
      attendees: [
        { address: 'bob@example.com', name: 'Bob', status: 'accepted' },
        { address: 'carl@example.com', status: 'declined' },
      ],
      recurring: true,
    });

    const changed = given(
      await client.request('calendar.update', {
        calendarId: 'work',
        eventId: 'daily.ics',
        title: 'Stand-up; new\nhour',
        startTime: '2026-03-25T09:30:00Z',
        endTime: '2026-03-25T09:45:00Z',
        attendees: ['bob@example.com', 'eve@example.com'],
      }),
    );
    expect(changed).toMatchObject({ eventId: 'daily.ics', sequence: 5 });
    const text = (await dav(authority, port, 'GET', `${FOLDER}/work/daily.ics`)).replaceAll(/\r\n /g, '');
    for (const kept of [
      'SEQUENCE:5',
      'RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;COUNT=6',
      'X-PHONE-COLOUR;SHADE="light;red":7',
      'TRIGGER:-PT5M',
      'SUMMARY:Stand-up\\; new\\nhour',
      'SUMMARY:Short one',
      'TZID=Berlin of the phone:20260325T103000',
      'PARTSTAT=ACCEPTED',
      'mailto:eve@example.com',
      'LOCATION:Room 1',
    ])
      expect(text).toContain(kept);
    expect(text).not.toContain('carl@example.com');
    const later = given(await client.request('calendar.fetch', { ...march, calendarId: `${FOLDER}/work/` }));
    expect((later['events'] as JsonObject[]).map(({ start }) => start)).toEqual([
      '2026-03-25T09:30:00Z',
      '2026-03-26T09:30:00Z',
      '2026-03-30T08:00:00Z',
      '2026-03-31T08:30:00Z',
      '2026-04-01T08:30:00Z',
    ]);

    const event = {
      title: 'Café, "review"; all\\of it',
      startTime: '2026-05-02T10:00:00Z',
      endTime: '2026-05-02T11:00:00Z',
      description: `A line\nBEGIN:VEVENT\r\nUID:smuggled ${'é'.repeat(100)}`,
      location: 'Here',
      attendees: ['bob@example.com'],
    };
    const made = given(await client.request('calendar.create', event));
    // Radicale lists its calendars as its file system does, and the first is taken where none is named.
    const listed = await dav(authority, port, 'PROPFIND', `${FOLDER}/`);
    const names =
      listed.indexOf('/a-main/') < listed.indexOf('/work/') ? ['Main', 'At work'] : ['At work', 'Main'];
    const path = names[0] === 'Main' ? `${FOLDER}/a-main/` : `${FOLDER}/work/`;
    expect(made).toMatchObject({ calendar: { path, name: names[0] } });
    const may = given(
      await client.request('calendar.fetch', {
        startDate: '2026-05-01T00:00:00Z',
        endDate: '2026-06-01T00:00:00Z',
      }),
    );
    expect(may['events']).toEqual([
      expect.objectContaining({
        eventId: made['eventId'] as string,
        uid: made['uid'] as string,
        title: event.title,
        description: event.description.replaceAll('\r\n', '\n'),
        location: 'Here',
        start: '2026-05-02T10:00:00Z',
        end: '2026-05-02T11:00:00Z',
        organizer: { address: USER },
        attendees: [{ address: 'bob@example.com', status: 'needs-action' }],
        recurring: false,
      }),
    ]);

    const codes = async (action: string, payload: Record<string, unknown>) =>
      codeOf(await client.request(action, payload));
    const nowhere = await client.request('calendar.fetch', { ...march, calendarId: 'nowhere' });
    expect(nowhere.error).toMatchObject({ code: 'not_found', help: `it has \`${names.join('`, `')}\`` });
    expect(await codes('calendar.fetch', { ...march, calendarId: 'tasks' })).toBe('not_found');
    expect(await codes('calendar.update', { ...event, eventId: 'none.ics' })).toBe('not_found');
    for (const eventId of ['../work/daily.ics', '..', 'a/b', 'a\\b'])
      expect(await codes('calendar.update', { ...event, eventId })).toBe('invalid_request');
    await operator.request('account.remove', { name: 'mine' });
    await account('calendar', 'mine', { url: `https://cal.test:${port}/`, user: USER }, 'not the password');
    expect(await codes('calendar.fetch', march)).toBe('credential_refused');
    expect(JSON.stringify(world.rows())).not.toContain(PASSWORD);
  });
});
