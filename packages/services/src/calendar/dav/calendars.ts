import { SublError } from '@subluminal/core-types';
import { printable } from '../../account/answer.js';
import type { Conversation } from '../../account/conversation.js';
import { propfind } from './ask.js';
import { CALDAV, DAV, hrefIn, propOf, type Resource } from './multistatus.js';
import { childOf, childrenOf } from './xml.js';

/** A calendar collection: its path, with a slash at its end, and its name for people. */
export interface Calendar {
  readonly target: string;
  readonly name: string;
}

const MAX_CALENDARS = 512;
const PROPS =
  '<d:resourcetype/><d:displayname/><d:current-user-principal/><c:calendar-home-set/><c:supported-calendar-component-set/>';

/**
 * The calendar that an action means: `primary` is the first of the account; every other text is a path, the
 * last part of a path, or a name.
 *
 * @throws SublError `not_found`; `adapter_failed` where the way to it leaves the origin.
 */
export async function findCalendar(talk: Conversation, start: string, id: string): Promise<Calendar> {
  const calendars = await calendarsFrom(talk, start);
  const by = (fits: (calendar: Calendar) => boolean): readonly Calendar[] => calendars.filter(fits);
  const path = id.endsWith('/') ? id : `${id}/`;
  const found =
    id === 'primary'
      ? calendars.slice(0, 1)
      : ([
          by(({ target }) => target === path),
          by(({ target }) => lastPart(target) === id),
          by(({ name }) => name === id),
        ].find((some) => some.length > 0) ?? []);
  const [calendar] = found;
  if (calendar !== undefined && found.length === 1) return calendar;
  const what = found.length > 1 ? `${found.length} calendars` : 'no calendar';
  const names = calendars
    .slice(0, 8)
    .map(({ target, name }) => `\`${printable(name === '' ? lastPart(target) : name)}\``);
  throw new SublError('not_found', `the account has ${what} \`${printable(id)}\``, {
    help: names.length === 0 ? 'it has none at all' : `it has ${names.join(', ')}`,
  });
}

/**
 * The way from an address to the calendars behind it, never to another origin
 * (https://www.rfc-editor.org/rfc/rfc5397#section-3, https://www.rfc-editor.org/rfc/rfc4791#section-6.2.1).
 */
async function calendarsFrom(talk: Conversation, start: string): Promise<readonly Calendar[]> {
  const given = await lookAt(talk, start);
  const first =
    given?.home === undefined && given?.principal === undefined && given?.calendar === undefined
      ? ((await lookAt(talk, '/.well-known/caldav')) ?? given)
      : given;
  if (first?.calendar !== undefined) return [first.calendar];
  const home =
    first?.home ?? (first?.principal === undefined ? undefined : (await lookAt(talk, first.principal))?.home);
  if (home === undefined)
    throw new SublError(
      'adapter_failed',
      `\`${talk.origin}\` does not say where the account has its calendars`,
      {
        help: 'give the account the address of its principal or of one calendar',
      },
    );
  const told = await propfind(talk, home, 1, PROPS);
  return (told?.resources ?? [])
    .filter(isCalendar)
    .slice(0, MAX_CALENDARS)
    .map((resource) => calendarOf(talk, resource, home));
}

interface Seen {
  readonly calendar: Calendar | undefined;
  readonly home: string | undefined;
  readonly principal: string | undefined;
}

async function lookAt(talk: Conversation, target: string): Promise<Seen | undefined> {
  const told = await propfind(talk, target, 0, PROPS);
  const [resource] = told?.resources ?? [];
  if (told === undefined || resource === undefined) return undefined;
  const place = (ns: string, name: string): string | undefined => {
    const href = hrefIn(resource, ns, name);
    return href === undefined ? undefined : talk.targetOf(href, told.target);
  };
  return {
    calendar: isCalendar(resource) ? calendarOf(talk, resource, told.target) : undefined,
    home: place(CALDAV, 'calendar-home-set'),
    principal: place(DAV, 'current-user-principal'),
  };
}

/** Tells whether a collection can hold events: one of tasks cannot. */
function isCalendar(resource: Resource): boolean {
  const type = propOf(resource, DAV, 'resourcetype');
  if (type === undefined || childOf(type, CALDAV, 'calendar') === undefined) return false;
  const set = propOf(resource, CALDAV, 'supported-calendar-component-set');
  const comps = set === undefined ? [] : childrenOf(set, CALDAV, 'comp');
  return comps.length === 0 || comps.some(({ named }) => named?.toUpperCase() === 'VEVENT');
}

function calendarOf(talk: Conversation, resource: Resource, base: string): Calendar {
  const target = talk.targetOf(resource.href, base).replace(/\?.*$/, '');
  return {
    target: target.endsWith('/') ? target : `${target}/`,
    name: propOf(resource, DAV, 'displayname')?.text.trim() ?? '',
  };
}

function lastPart(target: string): string {
  const part = target.split('/').findLast((piece) => piece !== '') ?? '';
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
