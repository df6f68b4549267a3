import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { isSublError, type JsonObject, textAt } from '@subluminal/core-types';
import { errorText, type RefusedPeers } from '@subluminal/gateway';
import { WebSocketServer } from 'ws';
import { act } from './api/acts.js';
import { READS } from './api/reads.js';
import { commonState, stateOf } from './api/state.js';
import { JSON_TYPE, send, sendRefusal } from './door/answers.js';
import { checkHost, checkOrigin, type Wanted, wantedAt } from './door/checks.js';
import type { Access, Peers } from './door/peers.js';
import { readJson } from './door/read-json.js';
import { UiRefusal } from './door/refusal.js';
import { INDEX, type PageFile } from './files/page-files.js';
import { API, PAGE, PERSON } from './protocol/paths.js';
import type { Reader } from './reader/reader.js';
import type { RuleVerbs } from './rules/rules.js';
import { ReadPace } from './session/read-pace.js';
import { noSession, type UiSession } from './session/sessions.js';
import { Pages, type PagesParts } from './socket/pages.js';
import type { LayerVerbs } from './worlds/worlds.js';

const MAX_FRAME = 65_536;
/** Questions of one session that are worked on at once. */
const MAX_ASKED = 8;
const REFUSED_MS = 1000;
const PATH = /^\/[A-Za-z0-9._/-]{0,512}$/;
const BEARER = /^Bearer ([A-Za-z0-9_-]{1,256})$/;

export interface UiServingParts extends PagesParts {
  /** The name of the door, without its port. */
  readonly host: string;
  readonly reader: Reader;
  readonly peers: Peers;
  readonly layers: LayerVerbs;
  readonly rules: RuleVerbs;
  /** The files of the page, by their names. */
  readonly files: () => ReadonlyMap<string, PageFile>;
  readonly refused: RefusedPeers;
}

/** Answers everything that comes in by the door of the page. */
export class UiServing {
  readonly #parts: UiServingParts;
  /** The pages that are open. */
  readonly pages: Pages;
  readonly #upgrades = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_FRAME,
    perMessageDeflate: false,
    clientTracking: false,
  });
  readonly #asked = new WeakMap<UiSession, number>();
  readonly #pace: ReadPace;

  constructor(parts: UiServingParts) {
    this.#parts = parts;
    this.pages = new Pages(parts);
    this.#pace = new ReadPace(parts.now);
  }

  /** Answers one request. */
  handle(request: IncomingMessage, response: ServerResponse, port: number): void {
    response.on('error', () => undefined);
    this.#answer(request, response, port).catch((error: unknown) => {
      sendRefusal(response, this.#refusalFor(error));
    });
  }

  /** Takes a connection over for the socket's protocol, or closes it. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, port: number): void {
    socket.on('error', () => socket.destroy());
    this.#open(request, socket, head, port).catch((error: unknown) => {
      const { body, status } = this.#refusalFor(error);
      const text = JSON.stringify(body);
      const answer = `HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Type: ${JSON_TYPE}\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
      // A peer that never closes its own half would keep the place of another one.
      socket.end(answer, () => socket.destroy());
      setTimeout(() => socket.destroy(), REFUSED_MS).unref();
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse, port: number): Promise<void> {
    const { path, query, wanted } = this.#checked(request, port);
    const access = await this.#parts.peers.accessOf(request.socket, port);
    if (wanted === 'api') await this.#api(request, response, { path, query, access });
    else this.#file(request, response, wanted, path);
  }

  /** Everything that can be said before anybody is asked. */
  #checked(
    request: IncomingMessage,
    port: number,
  ): { readonly path: string; readonly query: URLSearchParams; readonly wanted: Wanted } {
    const place = `${this.#parts.host}:${port}`;
    checkHost(request, place);
    const [path, search] = splitOnce(request.url ?? '', '?');
    if (!PATH.test(path) || path.includes('..'))
      throw new UiRefusal(404, 'no_route', 'there is nothing at this path');
    const query = new URLSearchParams(search);
    const wanted = wantedAt(path);
    if (!path.startsWith(PAGE)) throw new UiRefusal(404, 'no_route', 'there is nothing at this path');
    checkOrigin(request, wanted, place);
    return { path, query, wanted };
  }

  #file(request: IncomingMessage, response: ServerResponse, wanted: Wanted, path: string): void {
    if (request.method !== 'GET') throw new UiRefusal(405, 'no_route', 'only GET is answered here');
    if (wanted === 'socket') throw new UiRefusal(426, 'no_route', 'a socket is opened here');
    const files = this.#parts.files();
    const file = files.get(wanted === 'file' ? path.slice(PAGE.length) : INDEX);
    if (file !== undefined) send(response, 200, file.type, file.bytes);
    else if (wanted === 'file') throw new UiRefusal(404, 'no_route', 'there is no such file');
    else throw new UiRefusal(503, 'not_available', 'the page was not built', 'run `npm run build`');
  }

  async #api(
    request: IncomingMessage,
    response: ServerResponse,
    {
      access,
      path,
      query,
    }: { readonly access: Access; readonly path: string; readonly query: URLSearchParams },
  ): Promise<void> {
    if (request.method === 'POST') {
      const answer = await this.#change(request, path, access);
      send(response, 200, JSON_TYPE, JSON.stringify(answer));
      return;
    }
    if (request.method !== 'GET') throw new UiRefusal(405, 'no_route', 'GET and POST are answered');
    const session = this.#sessionOf(request);
    this.#pace.assertRoom(session);
    const text = await this.#inTurn(session, () => this.#read(session, path, query, access));
    send(response, 200, JSON_TYPE, text);
  }

  async #read(session: UiSession, path: string, query: URLSearchParams, access: Access): Promise<string> {
    if (path === API.state) return this.#state(session, access);
    const [route = '', ...rest] = routeOf(path);
    const read = READS.get(route);
    if (read === undefined) throw new UiRefusal(404, 'no_route', 'there is nothing at this path');
    const { layers, reader: all, rules } = this.#parts;
    let spent = 0;
    const reader: Pick<Reader, 'ask'> = {
      ask: (question) => all.ask(question, (ms) => (spent += ms)),
    };
    try {
      return await read({ access, session, reader, layers, rules, query, rest });
    } finally {
      this.#pace.charge(session, spent);
    }
  }

  async #state(session: UiSession, access: Access): Promise<string> {
    const { defaultHome, now } = this.#parts;
    return JSON.stringify(stateOf(await commonState(session, defaultHome), session, access, now()));
  }

  async #change(request: IncomingMessage, path: string, access: Access): Promise<object> {
    const { sessions } = this.#parts;
    if (path === API.session) {
      const body = await readJson(request);
      const { session, token } = await sessions.begin(textAt(body, 'code'));
      return { token, session: session.id };
    }
    const session = this.#sessionOf(request);
    const body = await readJson(request);
    return this.#inTurn(session, () => this.#changed(session, path, access, body));
  }

  async #changed(session: UiSession, path: string, access: Access, body: JsonObject): Promise<object> {
    const { reader, sessions } = this.#parts;
    switch (path) {
      case API.leave:
        await sessions.leave(session);
        return {};
      case API.lock:
        await sessions.lock(session);
        return {};
      case API.unlock:
        if (access !== 'full') throw new UiRefusal(403, 'read_only', 'it cannot be told which process asks');
        return { unlocked_until: await sessions.unlock(session, textAt(body, 'code')) };
      case API.act:
        return act({ reader, sessions }, session, access, body);
      default:
        throw new UiRefusal(404, 'no_route', 'there is nothing at this path');
    }
  }

  #sessionOf({ headers, method }: IncomingMessage): UiSession {
    const { authorization } = headers;
    const by = method === 'POST' || headers[PERSON] === '1' ? 'person' : 'page';
    const [, token] = BEARER.exec(authorization ?? '') ?? [];
    return this.#parts.sessions.of(token ?? '', by);
  }

  /** One session does not ask for everything at once. */
  async #inTurn<T>(session: UiSession, work: () => Promise<T>): Promise<T> {
    const asked = this.#asked.get(session) ?? 0;
    if (asked >= MAX_ASKED) throw new UiRefusal(429, 'too_many', 'too much is asked for at once');
    this.#asked.set(session, asked + 1);
    try {
      return await work();
    } catch (error) {
      // It was ended meanwhile, and gets what it would get if it asked now.
      throw this.#parts.sessions.has(session) ? error : noSession();
    } finally {
      this.#asked.set(session, (this.#asked.get(session) ?? 1) - 1);
    }
  }

  async #open(request: IncomingMessage, socket: Duplex, head: Buffer, port: number): Promise<void> {
    const { wanted } = this.#checked(request, port);
    if (wanted !== 'socket') throw new UiRefusal(404, 'no_route', 'no socket is opened here');
    const access = await this.#parts.peers.accessOf(request.socket, port);
    this.pages.assertRoom();
    if (socket.destroyed) return;
    const again = (): Promise<Access> => this.#parts.peers.accessOf(request.socket, port);
    this.#upgrades.handleUpgrade(request, socket, head, (opened) => this.pages.add(opened, access, again));
  }

  #refusalFor(error: unknown): UiRefusal {
    const { log, refused } = this.#parts;
    if (error instanceof UiRefusal) {
      const reason = COUNTED.get(error.code);
      if (reason !== undefined) refused.count(reason);
      return error;
    }
    if (isSublError(error)) return new UiRefusal(503, error.code, error.message, error.help);
    log.error('the page could not be answered', { error: errorText(error) });
    return new UiRefusal(500, 'failed', 'the gateway failed');
  }
}

/** Refusals that the record counts. */
const COUNTED = new Map<string, Parameters<RefusedPeers['count']>[0]>([
  ['bad_host', 'http_origin'],
  ['bad_origin', 'http_origin'],
  ['bad_request', 'http_form'],
  ['code_wrong', 'http_token'],
  ['code_used', 'http_token'],
  ['no_session', 'http_token'],
  ['inside_run', 'ui_peer'],
  ['other_user', 'ui_peer'],
  ['unknown_process', 'ui_peer'],
]);

const ROUTE_PARTS = 4;

/** The route of a path, and what stands behind it. */
function routeOf(path: string): readonly string[] {
  const parts = path.split('/');
  return [parts.slice(0, ROUTE_PARTS).join('/'), ...parts.slice(ROUTE_PARTS)];
}

function splitOnce(text: string, at: string): readonly [string, string] {
  const place = text.indexOf(at);
  return place === -1 ? [text, ''] : [text.slice(0, place), text.slice(place + 1)];
}
