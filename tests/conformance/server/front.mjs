// Streamable HTTP on loopback for whatever answers a session: `serve` is asked for one for each new session.
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

/** So long a client waits before it comes back for a stream that was closed on purpose. */
const RETRY_MS = 500;

/**
 * Listens, and prints `{"port":n}` as its first line.
 * @param {(transport: StreamableHTTPServerTransport) => Promise<void>} serve
 */
export function listen(serve) {
  /** @type {Map<string, StreamableHTTPServerTransport>} */
  const sessions = new Map();
  /**
   * @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response
   */
  const answer = async (request, response) => {
    const body = request.method === 'POST' ? await bodyOf(request) : undefined;
    const id = request.headers['mcp-session-id'];
    let transport = typeof id === 'string' ? sessions.get(id) : undefined;
    if (transport === undefined && id === undefined && isInitializeRequest(body)) {
      transport = newTransport(sessions, portOf(http));
      await serve(transport);
    }
    if (transport === undefined) response.writeHead(id === undefined ? 400 : 404).end('no such session');
    else await transport.handleRequest(request, response, body);
  };
  const http = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  http.listen(0, '127.0.0.1', () => process.stdout.write(`${JSON.stringify({ port: portOf(http) })}\n`));
  return http;
}

/** @param {Map<string, StreamableHTTPServerTransport>} sessions @param {number} port */
function newTransport(sessions, port) {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (id) => void sessions.set(id, transport),
    enableDnsRebindingProtection: true,
    allowedHosts: [`127.0.0.1:${port}`, `localhost:${port}`],
    eventStore: createEventStore(),
    retryInterval: RETRY_MS,
  });
  return transport;
}

/** What was sent, so that a client that comes back gets the rest. A session of these tests is short. */
function createEventStore() {
  /**
   * @type {{ id: string, stream: string, message: import('@modelcontextprotocol/sdk/types.js').JSONRPCMessage
   *   }[]}
   */
  const events = [];
  return {
    /** @param {string} stream @param {import('@modelcontextprotocol/sdk/types.js').JSONRPCMessage} message */
    storeEvent: (stream, message) => {
      const id = `${stream}_${events.length}`;
      events.push({ id, stream, message });
      return Promise.resolve(id);
    },
    /**
     * @param {string} last
     * @param {{ send: (id: string, message: import('@modelcontextprotocol/sdk/types.js').JSONRPCMessage) =>
     *   Promise<void> }} to
     */
    async replayEventsAfter(last, { send }) {
      const from = events.findIndex(({ id }) => id === last);
      const stream = events[from]?.stream ?? '';
      for (const event of events.slice(from + 1)) {
        if (event.stream === stream && Object.keys(event.message).length > 0)
          await send(event.id, event.message);
      }
      return stream;
    },
  };
}

/** @param {import('node:http').IncomingMessage} request @returns {Promise<unknown>} */
async function bodyOf(request) {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text === '' ? undefined : JSON.parse(text);
}

/** @param {import('node:http').Server} http */
function portOf(http) {
  const address = http.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
