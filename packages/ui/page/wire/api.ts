import { API, CODE_KEY, type ApiError, PERSON, type SessionBegun } from '../../src/protocol/index.js';

/** The gateway refused, or did not answer (`unreachable`). `help` is the next step. */
export class Refused extends Error {
  readonly code: string;
  readonly help: string;

  constructor(code: string, message: string, help = '') {
    super(message);
    this.name = 'Refused';
    this.code = code;
    this.help = help;
  }
}

/** Any error as a refusal. */
export function asRefused(error: unknown): Refused {
  return error instanceof Refused ? error : new Refused('failed', String(error));
}

/** The routes of the gateway, asked with the token of this session. */
export interface Api {
  readonly token: string;
  /** Asks a route of `API`, with what follows it in the address. Throws `Refused`. */
  get<Answer>(route: string, query?: Readonly<Record<string, string | number | null>>): Promise<Answer>;
  /** `ms`: how long it may take; a minute by itself. */
  post<Answer>(route: string, body: object, ms?: number): Promise<Answer>;
}

const STORED = 'subl.token';
const PATIENCE_MS = 60_000;

/** Where the token is kept: the storage of this tab and of this origin, port included. */
export function keptToken(storage: Storage): string | null {
  return storage.getItem(STORED);
}

/** Forgets the token: it is dead. */
export function dropToken(storage: Storage): void {
  storage.removeItem(STORED);
}

/** Takes the one-time code out of the address, so that neither history nor a screenshot has it. */
export function takeCode(window: Window): string | null {
  const code = new URLSearchParams(window.location.hash.slice(1)).get(CODE_KEY);
  if (window.location.hash !== '')
    window.history.replaceState(null, '', window.location.pathname + window.location.search);
  return code;
}

/** Exchanges a code for a token, and keeps that. Throws `Refused`. */
export async function begin(storage: Storage, code: string): Promise<string> {
  const { token } = await ask<SessionBegun>(API.session, null, { code });
  keepToken(storage, token);
  return token;
}

/** Keeps a token, for when the tab is loaded again. */
export function keepToken(storage: Storage, token: string): void {
  storage.setItem(STORED, token);
}

/**
 * The routes for a token. `isPerson`: a key or a press came since the last request. `dead` is told when the
 * gateway does not know the token any more.
 */
export function apiOf(token: string, dead: () => void, isPerson: () => boolean): Api {
  const watched = async <Answer>(asked: Promise<Answer>): Promise<Answer> => {
    try {
      return await asked;
    } catch (error) {
      if (error instanceof Refused && error.code === 'no_session') dead();
      throw error;
    }
  };
  return {
    token,
    get: (route, query = {}) => {
      const pairs = Object.entries(query).flatMap(([name, value]) =>
        value === null || value === '' ? [] : [[name, String(value)]],
      );
      const text = new URLSearchParams(pairs).toString();
      return watched(ask(text === '' ? route : `${route}?${text}`, token, null, isPerson()));
    },
    post: (route, body, ms) => watched(ask(route, token, body, true, ms)),
  };
}

async function ask<Answer>(
  route: string,
  token: string | null,
  body: object | null,
  isPerson = true,
  ms = PATIENCE_MS,
): Promise<Answer> {
  const response = await send(route, token, body, isPerson, ms);
  return response.json();
}

async function send(
  route: string,
  token: string | null,
  body: object | null,
  isPerson: boolean,
  ms = PATIENCE_MS,
): Promise<Response> {
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
  if (body !== null) headers['content-type'] = 'application/json';
  if (isPerson) headers[PERSON] = '1';
  let response: Response;
  try {
    response = await fetch(route, {
      method: body === null ? 'GET' : 'POST',
      headers,
      body: body === null ? null : JSON.stringify(body),
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      signal: AbortSignal.timeout(ms),
    });
  } catch {
    throw new Refused('unreachable', 'the gateway does not answer', 'sub status');
  }
  if (response.ok) return response;
  throw await refusalOf(response);
}

async function refusalOf(response: Response): Promise<Refused> {
  try {
    const { error }: ApiError = await response.json();
    return new Refused(error.code, error.message, error.help ?? '');
  } catch {
    return new Refused('failed', `the gateway answered ${response.status}`, 'sub status');
  }
}
