import type { ServerResponse } from 'node:http';
import type { Served } from './https.js';

/** What a server answers to one request. */
export type Answer = Served['answer'];

/** A multistatus of some responses. */
export function multistatus(...responses: string[]): string {
  return `<?xml version="1.0"?><d:multistatus xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav">${responses.join('')}</d:multistatus>`;
}

/** One response of a multistatus. */
export function resource(href: string, props: string): string {
  return `<d:response><d:href>${href}</d:href><d:propstat><d:prop>${props}</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>`;
}

/** The properties of a calendar collection. */
export const CALENDAR = '<d:resourcetype><d:collection/><c:calendar/></d:resourcetype>';

/** Answers with a multistatus. */
export function sendXml(response: ServerResponse, body: string): void {
  response.writeHead(207, { 'content-type': 'application/xml' }).end(body);
}

/** A calendar object with one event. */
export function ics(...lines: string[]): string {
  const event = ['BEGIN:VEVENT', 'UID:u', 'DTSTAMP:20260101T000000Z', ...lines, 'END:VEVENT'];
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:x', ...event, 'END:VCALENDAR', ''].join('\r\n');
}

/** A server whose calendar is at `/cal/`, and what it answers to everything else. */
export function calendarWith(rest: Answer): Answer {
  return (seen, response) => {
    if (seen.method === 'PROPFIND') sendXml(response, multistatus(resource('/cal/', CALENDAR)));
    else rest(seen, response);
  };
}

/** One that reports these objects. */
export function reporting(...objects: string[]): Answer {
  return calendarWith((_seen, response) => {
    const resources = objects.map((text, index) =>
      resource(
        `/cal/${index}.ics`,
        `<d:getetag>"1"</d:getetag><c:calendar-data><![CDATA[${text}]]></c:calendar-data>`,
      ),
    );
    sendXml(response, multistatus(...resources));
  });
}
