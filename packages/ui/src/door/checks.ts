import type { IncomingMessage } from 'node:http';
import { PAGE } from '../protocol/paths.js';
import { UiRefusal } from './refusal.js';

/** A request for something of the page. */
export type Wanted = 'document' | 'file' | 'api' | 'socket';

const API_PATHS = `${PAGE}api/`;
const SOCKET_PATH = `${PAGE}ws`;
/** A file of the page has an ending, a view has none. */
const FILE = /^\/ui\/[A-Za-z0-9_-]{1,64}(?:\.[A-Za-z0-9_-]{1,64}){0,2}\.[a-z0-9]{2,5}$/;

/** The thing that a path names. */
export function wantedAt(path: string): Wanted {
  if (path.startsWith(API_PATHS)) return 'api';
  if (path === SOCKET_PATH) return 'socket';
  return FILE.test(path) ? 'file' : 'document';
}

/**
 * Holds the `Host` to be the one literal name of this door, before anything else is looked at: a page that a
 * name was bound anew for comes with that name. The door says its name to nobody who does not know it.
 *
 * @throws UiRefusal `bad_host`
 */
export function checkHost(request: IncomingMessage, place: string): void {
  const hosts = valuesOf(request, 'host');
  if (hosts.length === 1 && hosts[0] === place) return;
  throw new UiRefusal(
    403,
    'bad_host',
    'the page has another name',
    'open the address that `sub ui` prints; through ssh, forward the same port',
  );
}

/**
 * Holds a request to come from the page itself. A document may be opened from anywhere: it holds no data, and
 * is shown in no frame. A change, and the socket, name the origin; a read names no other.
 *
 * @throws UiRefusal `bad_origin`
 */
export function checkOrigin(request: IncomingMessage, wanted: Wanted, place: string): void {
  if (wanted === 'document') return;
  // A worker that answers for a whole origin is none of the page's.
  if (valuesOf(request, 'service-worker').length > 0) throw foreign();
  const origins = valuesOf(request, 'origin');
  const mustName = wanted === 'socket' || request.method !== 'GET';
  const isOurs = origins.length === 1 && origins[0] === `http://${place}`;
  if (mustName ? !isOurs : origins.length > 0 && !isOurs) throw foreign();
  const sites = valuesOf(request, 'sec-fetch-site');
  // A person who opens a file of the page by its address comes from nowhere.
  const allowed = wanted === 'file' ? ['same-origin', 'none'] : ['same-origin'];
  if (sites.some((site) => !allowed.includes(site))) throw foreign();
}

function foreign(): UiRefusal {
  return new UiRefusal(403, 'bad_origin', 'only the page itself is answered here');
}

/** Every value of a field, in the order in which they came: Node drops repeated ones of some fields. */
function valuesOf({ rawHeaders }: IncomingMessage, name: string): readonly string[] {
  return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name);
}
