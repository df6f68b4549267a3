import { createServer } from 'node:http';
import { acceptedContent, createMcpHandler, inputRequired, McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { listen } from './world.js';

const Confirmation = z.object({ confirm: z.boolean() });

/** What the modern server was asked, and whether the client left before it was answered. */
export interface ModernServer {
  readonly url: string;
  readonly cancelled: string[];
}

/**
 * A server of revision 2026-07-28 over HTTP, made with the SDK's 2.x line; nothing but `POST` is answered.
 */
export async function modernServer(): Promise<ModernServer> {
  const cancelled: string[] = [];
  const handler = createMcpHandler(() => create(cancelled), { legacy: 'reject' });
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      void (async () => {
        const gone = new AbortController();
        response.once('close', () => gone.abort());
        const answer = await handler.fetch(
          new Request(`http://${request.headers.host ?? ''}${request.url ?? ''}`, {
            method: request.method ?? 'GET',
            headers: request.headers as Record<string, string>,
            body: request.method === 'POST' ? Buffer.concat(parts) : null,
            signal: gone.signal,
          }),
        );
        response.writeHead(answer.status, Object.fromEntries(answer.headers));
        response.flushHeaders();
        const reader = answer.body?.getReader();
        response.once('close', () => void reader?.cancel().catch(() => undefined));
        for (;;) {
          const next = await reader?.read();
          if (next === undefined || next.done) break;
          response.write(next.value);
        }
        response.end();
      })().catch(() => response.destroy());
    });
  });
  return { url: `http://127.0.0.1:${await listen(server)}/mcp`, cancelled };
}

function create(cancelled: string[]): McpServer {
  const server = new McpServer(
    { name: 'modern', version: '1.0.0' },
    { capabilities: { tools: { listChanged: true }, resources: {}, prompts: {} } },
  );
  server.registerTool(
    'add',
    {
      description: 'adds two numbers',
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
      annotations: { readOnlyHint: true },
    },
    ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }], structuredContent: { sum: a + b } }),
  );
  server.registerTool('fail', { description: 'fails', inputSchema: z.object({}) }, () => ({
    content: [{ type: 'text', text: 'this tool always fails' }],
    isError: true,
  }));
  server.registerTool(
    'wait',
    { description: 'waits until it is cancelled', inputSchema: z.object({}) },
    (_args, context) =>
      new Promise((resolve) => {
        context.mcpReq.signal.addEventListener('abort', () => {
          cancelled.push('wait');
          resolve({ content: [{ type: 'text', text: 'cancelled' }] });
        });
      }),
  );
  server.registerTool(
    'deploy',
    {
      description: 'asks before it acts',
      inputSchema: z.object({ env: z.string().meta({ 'x-mcp-header': 'Env' }) }),
    },
    ({ env }, context) => {
      const answer = acceptedContent(context.mcpReq.inputResponses, 'confirm', Confirmation);
      if (answer?.confirm === true) return { content: [{ type: 'text', text: `deployed to ${env}` }] };
      return inputRequired({
        inputRequests: {
          confirm: inputRequired.elicit({ message: `deploy to ${env}?`, requestedSchema: Confirmation }),
        },
      });
    },
  );
  server.registerResource('note', 'note://one', { mimeType: 'text/plain' }, (uri) => ({
    contents: [{ uri: uri.href, mimeType: 'text/plain', text: 'a note – with “quotes” and \u2028' }],
  }));
  server.registerPrompt('greet', { argsSchema: z.object({ name: z.string() }) }, ({ name }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `hello ${name}` } }],
  }));
  return server;
}
