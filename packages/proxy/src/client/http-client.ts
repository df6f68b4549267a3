import type { Socket } from 'node:net';
import { isSublError } from '@subluminal/core-types';
import { readBasic, type ShownToken } from './basic.js';
import type { Behind } from '../behind.js';
import { ClientGone, type ClientInput } from './client-input.js';
import { Denial, NotAdmitted } from '../denial.js';
import { denyHttp } from '../deny.js';
import { farewell } from '../carry/farewell.js';
import { forward } from './forward.js';
import { HeadReader, MalformedHead, valuesOf } from './head-reader.js';
import { carryToTheEnd, reach, type Reached } from '../judge/reach.js';
import { RequestBody } from './request-body.js';
import { type AbsoluteRequest, parseRequestHead, type ProxyRequest } from './request-head.js';
import type { RunLink } from '../run-link.js';
import { carriageParts, carryThrough } from '../carry/through.js';

const ESTABLISHED = Buffer.from('HTTP/1.1 200 Connection established\r\n\r\n');

/** Serves a client that speaks HTTP: one request. `inTime` is called when the request has come. */
export async function serveHttp(
  client: Socket,
  input: ClientInput,
  behind: Behind,
  inTime: () => void,
): Promise<void> {
  try {
    const request = await readRequest(input, behind.limits.maxHeadBytes);
    const shown = tokenOf(request);
    const link = behind.admit(shown);
    const rest = restOf(request, input);
    inTime();
    const leave = link.enter();
    try {
      await carry({ client, behind, link, serverName: shown?.serverName, request, rest });
    } finally {
      leave();
    }
  } catch (error) {
    refuse(client, behind, error);
  }
}

function refuse(client: Socket, behind: Behind, error: unknown): void {
  if (error instanceof ClientGone) {
    client.destroy();
    return;
  }
  if (!(error instanceof MalformedHead || error instanceof Denial || isSublError(error))) throw error;
  if (error instanceof NotAdmitted) behind.count('proxy_token');
  if (error instanceof MalformedHead) behind.count('proxy_form');
  const [denial, status] =
    error instanceof MalformedHead
      ? [new Denial('invalid_request', `the request cannot be read: ${error.message}`), error.status]
      : [Denial.of(error), error instanceof NotAdmitted ? 407 : undefined];
  farewell(client, denyHttp(denial, status), behind.limits.lingerMs);
}

async function readRequest(input: ClientInput, maxBytes: number): Promise<ProxyRequest> {
  const reader = new HeadReader(maxBytes);
  for (;;) {
    const chunk = await input.read();
    if (chunk === undefined) throw new ClientGone('the client has left');
    const head = reader.push(chunk);
    if (head === undefined) continue;
    input.unread(head.rest);
    return parseRequestHead(head.lines);
  }
}

function tokenOf({ fields }: ProxyRequest): ShownToken | undefined {
  const shown = valuesOf(fields, 'proxy-authorization');
  if (shown.length > 1) throw new MalformedHead('`Proxy-Authorization` stands twice');
  return readBasic(shown[0]);
}

/** What stands behind the head. Behind a request that is made for the client nothing does but its body. */
function restOf(request: ProxyRequest, input: ClientInput): Buffer | undefined {
  const released = input.release();
  if (request.kind === 'absolute' && released !== undefined) {
    const taken = new RequestBody(request.body).take(released);
    if (taken < released.length) throw new MalformedHead('another request stands behind it');
  }
  return released;
}

interface Carried {
  readonly client: Socket;
  readonly behind: Behind;
  readonly link: RunLink;
  readonly serverName: string | undefined;
  readonly request: ProxyRequest;
  readonly rest: Buffer | undefined;
}

/** What is not encrypted gets no secret; that it wanted one is told, and recorded. */
function assertNoPlaceholder(
  { injector }: Behind,
  { runId }: RunLink,
  { opened, server, host }: Reached,
  request: AbsoluteRequest,
): void {
  try {
    injector.assertNone(runId, host, request);
  } catch (error) {
    const { code, message: detail } = Denial.of(error);
    server.destroy();
    opened.end({ outcome: 'refused', code, detail, bytesUp: 0, bytesDown: 0 });
    throw error;
  }
}

async function carry({ client, behind, link, serverName, request, rest }: Carried): Promise<void> {
  const { host, port } = request;
  const via = request.kind === 'connect' ? 'connect' : 'http';
  const reached = await reach(behind, link, { serverName, via, worldId: undefined, host, port }, client);
  if (request.kind === 'connect') {
    await carryThrough(behind, link, { client, reached, port, answer: ESTABLISHED, rest, spend: undefined });
    return;
  }
  assertNoPlaceholder(behind, link, reached, request);
  const parts = carriageParts(behind, link, client, reached);
  const absolute = { ...parts, request, host: reached.host, maxHeadBytes: behind.limits.maxHeadBytes };
  await carryToTheEnd(behind, reached, () => ({ carriage: forward(absolute, rest) }));
}
