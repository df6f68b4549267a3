import type { GatewayConfig } from '@subluminal/core-types';
import type { Database } from 'better-sqlite3';
import type { RandomBytes } from '../clock.js';
import type { Logger } from '../logging/logger.js';
import { HttpDoor } from '../mcp-http/door.js';
import { DEFAULT_HTTP_LIMITS } from '../mcp-http/limits.js';
import type { HttpOperateParts } from '../operate/http.js';
import type { KeyRing } from '../security/keys.js';
import { HttpDoorStore } from '../store/http-door.js';

/** What MCP over HTTP is wired from. */
export interface HttpFoundation {
  readonly db: Database;
  readonly config: GatewayConfig;
  readonly keys: KeyRing;
  readonly random: RandomBytes;
  readonly log: Logger;
}

/** Wires the door for HTTP with what answers behind it. */
export function composeHttp({ db, config, keys, random, log }: HttpFoundation): HttpOperateParts {
  const door = new HttpDoor({
    store: new HttpDoorStore(db),
    keys,
    random,
    configuredPort: config.http?.port,
    limits: DEFAULT_HTTP_LIMITS,
    log,
    handle: (_request, response) => {
      response.writeHead(501, { 'content-type': 'text/plain', connection: 'close' });
      response.end('subluminal: not_available: this gateway does not pass on MCP over HTTP yet\n');
    },
  });
  return { door, counts: () => ({ sessions: 0, exchanges: 0 }) };
}
