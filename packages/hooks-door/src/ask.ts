import type { IncomingMessage } from 'node:http';

const PATH = /^\/hook\/([a-z]{1,16})$/;
const BEARER = /^Bearer ([\x21-\x7e]{1,1024})$/;

/** A request of a hook that goes no further, with its status. */
export class HookRefusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'HookRefusal';
    this.status = status;
  }
}

/** Whether the request is for hooks, and not for a server. */
export function isHookPath(url: string | undefined): boolean {
  return url?.startsWith('/hook/') ?? false;
}

/** Reads the head of a request. @throws HookRefusal */
export function readHookAsk(
  request: IncomingMessage,
  port: number,
): { readonly client: string; readonly token: string } {
  const { authorization, host, origin } = request.headers;
  // Reached by another name, or with an origin: a page of a browser was led here.
  if (host !== `127.0.0.1:${port}` || origin !== undefined)
    throw new HookRefusal(403, 'only programs on this machine are answered');
  const [, client] = PATH.exec(request.url ?? '') ?? [];
  if (client === undefined) throw new HookRefusal(404, 'there is nothing at this path');
  if (request.method !== 'POST') throw new HookRefusal(405, 'only POST is answered');
  if (request.headers['content-encoding'] !== undefined)
    throw new HookRefusal(415, 'a coded body cannot be judged');
  const [, token] = BEARER.exec(authorization ?? '') ?? [];
  if (token === undefined) throw new HookRefusal(401, 'the token is missing');
  return { client, token };
}
