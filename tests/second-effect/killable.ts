import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A web service that counts what reaches it: connections, bytes and requests; `onRequest` comes before any
 * answer.
 */
export class CountingService {
  connections = 0;
  bytes = 0;
  readonly requests: { readonly body: string; readonly at: number }[] = [];
  onRequest: () => void = () => undefined;
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => (body += text));
      request.on('end', () => {
        this.requests.push({ body, at: performance.now() });
        this.onRequest();
        response.end('done');
      });
    });
    this.#server.on('connection', (socket) => {
      this.connections += 1;
      socket.on('data', (chunk: Buffer) => (this.bytes += chunk.length));
    });
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
