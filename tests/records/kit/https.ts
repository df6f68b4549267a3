import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from '../../gateway/cleanups.js';

/** Names that the certificate is for; a resolver of the test leads them to this machine. */
export const NAMES = ['cal.test', 'bank.test', 'fhir.test', 'api.test', 'other.test'] as const;

/** An authority of the test's own, and a certificate of it. */
export interface Authority {
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** Makes one with openssl, as an operator would. */
export function newAuthority(): Authority {
  const folder = mkdtempSync(join(tmpdir(), 'sub-ca-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const openssl = (...args: string[]): void =>
    void execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const [ca, cert, key] = ['ca.pem', 'leaf.pem', 'leaf.key'];
  openssl('req', '-x509', ...NEW_KEY, '-keyout', 'ca.key', '-out', ca, '-days', '2', '-subj', '/CN=test ca');
  writeFileSync(join(folder, 'leaf.ext'), `subjectAltName=${NAMES.map((name) => `DNS:${name}`).join(',')}\n`);
  openssl('req', '-new', ...NEW_KEY, '-keyout', key, '-out', 'leaf.csr', '-subj', '/CN=leaf');
  const by = ['-CA', ca, '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'leaf.ext'];
  openssl('x509', '-req', '-in', 'leaf.csr', ...by, '-out', cert);
  return { caFile: join(folder, ca), certFile: join(folder, cert), keyFile: join(folder, key) };
}

/** One request as a server got it. */
export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A server that the test talks to, and everything that reached it. */
export interface Served {
  readonly port: number;
  readonly seen: Seen[];
  answer: (seen: Seen, response: ServerResponse) => void;
}

/** An HTTPS server on a free port of this machine. */
export async function serve(authority: Authority, answer: Served['answer']): Promise<Served> {
  const seen: Seen[] = [];
  const tls = { cert: readFileSync(authority.certFile), key: readFileSync(authority.keyFile) };
  const server = createServer(tls, (request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      const one = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body };
      seen.push(one);
      served.answer(one, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const served: Served = { port: (server.address() as AddressInfo).port, seen, answer };
  return served;
}

/** Answers with JSON. */
export function sendJson(
  response: ServerResponse,
  body: unknown,
  status = 200,
  type = 'application/json',
): void {
  response.writeHead(status, { 'content-type': type }).end(JSON.stringify(body));
}

/** The header of RFC 7617. */
export function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}
