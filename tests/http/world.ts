import { type ChildProcess, spawn } from 'node:child_process';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTcp } from 'node:net';
import { fileURLToPath } from 'node:url';
import { httpRunToken, type JsonObject } from '@subluminal/core-types';
import type { GatewayOptions } from '@subluminal/daemon';
import { onTestFinished } from 'vitest';
import { after, dataOf, start, type TestGateway, type TestRun } from '../gateway/harness.js';

/** A gateway with its door for HTTP open, and a run that may use it. */
export interface HttpWorld {
  readonly gateway: TestGateway;
  readonly port: number;
  readonly enrolToken: string;
  readonly run: TestRun;
  readonly token: string;
  /** Where a client reaches the server of that name. */
  readonly url: (name: string) => URL;
  /** What an imported entry sends along. */
  readonly headers: (upstream: string, token?: string) => Record<string, string>;
  /** One request of the run with a body, to a server named `srv`. */
  readonly post: (upstream: string, message: unknown, more?: PostOptions) => Promise<Answer>;
}

export interface PostOptions {
  readonly headers?: Record<string, string>;
  readonly token?: string;
  readonly name?: string;
}

/** What came back. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  readonly json: () => JsonObject;
}

/** One HTTP request over a connection of its own. Rejects where the answer does not come whole. */
export function ask(
  url: URL,
  options: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string | string[]>>;
    readonly body?: string | Buffer;
  },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { method, headers, body } = options;
    const asked = request(url, { method, headers, agent: false }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.once('error', reject);
      response.once('end', () => {
        const text = Buffer.concat(parts).toString();
        const json = (): JsonObject => JSON.parse(text) as JsonObject;
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json });
      });
    });
    asked.once('error', reject);
    asked.end(body);
  });
}

/** Opens the door of a new gateway, which may reach this machine. */
export async function httpWorld(
  options: Partial<GatewayOptions> & { policy?: string; config?: string; allow?: boolean } = {},
): Promise<HttpWorld> {
  const { allow = true, ...rest } = options;
  const gateway = await start(rest);
  const operator = await gateway.operator();
  if (allow) await operator.request('allow.add', { host: '127.0.0.1', allow_private: true });
  const { port, enrol_token: enrolToken } = dataOf(await operator.request('http.listen', {}));
  const run = await gateway.run();
  const token = httpRunToken(run.credential);
  const url = (name: string): URL =>
    new URL(`http://127.0.0.1:${Number(port)}/mcp/${encodeURIComponent(name)}`);
  const headers = (upstream: string, shown = token): Record<string, string> => ({
    'subluminal-upstream': upstream,
    'subluminal-token': shown,
  });
  return {
    gateway,
    port: Number(port),
    enrolToken: enrolToken as string,
    run,
    token,
    url,
    headers,
    post: (upstream, message, more = {}) =>
      ask(url(more.name ?? 'srv'), {
        method: 'POST',
        headers: {
          ...headers(upstream, more.token),
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...more.headers,
        },
        body: typeof message === 'string' ? message : JSON.stringify(message),
      }),
  };
}

/** A stream that is read as it comes: what came first, and all of it. */
export function stream(
  url: URL,
  headers: Record<string, string>,
  body?: unknown,
): { readonly first: Promise<string>; readonly whole: Promise<string>; readonly leave: () => void } {
  let leave: () => void = () => undefined;
  let begin: (text: string) => void = () => undefined;
  const first = new Promise<string>((resolve) => {
    begin = resolve;
  });
  const whole = new Promise<string>((resolve, reject) => {
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const method = body === undefined ? 'GET' : 'POST';
    const asked = request(
      url,
      { method, headers: { accept: 'text/event-stream', ...type, ...headers }, agent: false },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (part: string) => {
          begin(part);
          text += part;
        });
        response.once('error', reject);
        response.once('end', () => resolve(text));
      },
    );
    leave = () => void asked.destroy();
    asked.once('error', reject);
    asked.end(body === undefined ? undefined : JSON.stringify(body));
  });
  whole.catch(() => undefined);
  return { first, whole, leave: () => leave() };
}

/** A request that a scripted server got. */
export interface Got {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** An MCP server whose every answer the test writes. */
export interface Scripted {
  readonly url: string;
  readonly got: Got[];
}

export async function scripted(
  answer: (got: Got, response: ServerResponse, request: IncomingMessage) => void,
): Promise<Scripted> {
  const got: Got[] = [];
  const server = createServer((incoming, response) => {
    const parts: Buffer[] = [];
    incoming.on('error', () => undefined);
    response.on('error', () => undefined);
    incoming.on('data', (part: Buffer) => parts.push(part));
    incoming.on('end', () => {
      const { method = '', url = '', headers } = incoming;
      const one = { method, url, headers, body: Buffer.concat(parts).toString() };
      got.push(one);
      answer(one, response, incoming);
    });
  });
  return { url: `http://127.0.0.1:${await listen(server)}/mcp`, got };
}

/** Answers with one JSON message. */
export function sayJson(
  response: ServerResponse,
  message: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(200, { 'content-type': 'application/json', ...headers });
  response.end(typeof message === 'string' ? message : JSON.stringify(message));
}

/** The result of the request that a scripted server got. */
export function resultOf(got: Got, result: unknown): JsonObject {
  return {
    jsonrpc: '2.0',
    id: (JSON.parse(got.body) as JsonObject)['id'] ?? null,
    result: result as JsonObject,
  };
}

/** Listens on a free port of this machine until the test is over. */
export async function listen(server: Server): Promise<number> {
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
  after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return port;
}

/** The reference server over Streamable HTTP, with sessions and resumption. */
export async function everything(): Promise<string> {
  const port = await freePort();
  const file = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));
  const child: ChildProcess = spawn(process.execPath, [file, 'streamableHttp'], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const end = (): void => void child.kill('SIGKILL');
  process.once('exit', end);
  onTestFinished(() => {
    process.off('exit', end);
    end();
  });
  await new Promise<void>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the server ended with ${String(code)}`)));
    child.stderr?.on('data', (text: Buffer) => {
      if (text.includes('listening')) resolve();
    });
    child.stdout?.on('data', (text: Buffer) => {
      if (text.includes('listening')) resolve();
    });
  });
  return `http://127.0.0.1:${port}/mcp`;
}

async function freePort(): Promise<number> {
  const server = createTcp();
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
  await new Promise((resolve) => server.close(resolve));
  return port;
}
