// bridge.mjs [--shared] COMMAND ARG…: Streamable HTTP in front of a server over stdio, one process a session
// or one for all of them, which then have to come one after the other. What the server asks or tells of its
// own travels with the request that is being worked on, as a server over HTTP would send it.
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { listen } from './front.mjs';

/** @typedef {import('@modelcontextprotocol/sdk/types.js').JSONRPCMessage} Message */

const shared = process.argv[2] === '--shared';
const [command = '', ...args] = process.argv.slice(shared ? 3 : 2);
const one = shared ? startServer() : undefined;

listen(async (front) => {
  const server = await (one ?? startServer());
  /** @type {(string | number)[]} */
  const working = [];
  Object.assign(front, {
    /** @param {Message} message */
    onmessage(message) {
      if ('method' in message && 'id' in message) working.push(message.id);
      void server.send(message);
    },
    onclose: () => (shared ? undefined : server.close()),
  });
  Object.assign(server, {
    /** @param {Message} message */
    onmessage(message) {
      if ('method' in message) {
        const relatedRequestId = working.at(-1);
        void front.send(message, relatedRequestId === undefined ? {} : { relatedRequestId });
        return;
      }
      const at = working.indexOf(message.id ?? '');
      if (at >= 0) working.splice(at, 1);
      void front.send(message);
    },
    onclose: () => (shared ? undefined : front.close()),
  });
  await front.start();
});

async function startServer() {
  const server = new StdioClientTransport({ command, args, env: { ...process.env }, stderr: 'inherit' });
  await server.start();
  return server;
}
