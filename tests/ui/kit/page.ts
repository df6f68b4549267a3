import { spawn, type ChildProcess } from 'node:child_process';
import { type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type JsonObject, numberAt, objectAt, textAt } from '@subluminal/core-types';
import type { GatewayClient } from '@subluminal/ipc';
import type { Act, GatewayFrame, PageFrame } from '@subluminal/ui/protocol';
import Wire from 'ws';
import { dataOf } from '../../gateway/harness.js';
import { untilFree } from './free-port.js';

/** An answer. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly json: JsonObject;
  /** The code of a refusal, empty where it is none. */
  readonly code: string;
}

type Headers = Readonly<Record<string, string | string[]>>;

/** The door of a page: its port, and the name that it answers to. */
export interface Door {
  readonly port: number;
  readonly host: string;
}

/** One HTTP request over a connection of its own, with exactly these headers, and the door's name. */
export function ask(
  door: Door,
  method: string,
  path: string,
  headers: Headers = {},
  body?: string,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const named = { host: placeOf(door), ...headers };
    const where = { host: '127.0.0.1', port: door.port, method, path, headers: named, agent: false };
    const asked = request(where, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.once('error', reject);
      response.once('end', () => {
        const json: JsonObject = text.startsWith('{') ? JSON.parse(text) : {};
        const code = textAt(json, 'error', 'code');
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json, code });
      });
    });
    asked.once('error', reject);
    asked.end(body);
  });
}

/** Sends these bytes, and gives all that comes back until the other side closes, or the time is over. */
export async function rawly(port: number, text: string, ms = 30_000): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let got = '';
  socket.setEncoding('utf8').on('data', (part: string) => (got += part));
  socket.on('error', () => undefined);
  socket.write(text);
  const timer = setTimeout(() => socket.destroy(), ms);
  // A reset is an end, too: a refusal does not read what it was sent.
  await new Promise((resolve) => socket.once('close', resolve));
  clearTimeout(timer);
  return got;
}

/** A page that has shown its code. */
export class Page {
  readonly door: Door;
  readonly token: string;
  readonly session: string;

  constructor(door: Door, token: string, session: string) {
    this.door = door;
    this.token = token;
    this.session = session;
  }

  get port(): number {
    return this.door.port;
  }

  get headers(): Readonly<Record<string, string>> {
    return {
      origin: originOf(this.door),
      'sec-fetch-site': 'same-origin',
      authorization: `Bearer ${this.token}`,
      'content-type': 'application/json',
    };
  }

  get(path: string, more: Headers = {}): Promise<Answer> {
    return ask(this.door, 'GET', path, { ...this.headers, ...more });
  }

  post(path: string, body: object): Promise<Answer> {
    return ask(this.door, 'POST', path, this.headers, JSON.stringify(body));
  }

  act(what: Act): Promise<Answer> {
    return this.post('/ui/api/act', what);
  }

  /** Opens its socket and says `hello`. */
  listen(hello: Partial<Extract<PageFrame, { t: 'hello' }>> = {}): Listening {
    return new Listening(this.door, {
      t: 'hello',
      token: this.token,
      filter: '',
      from: null,
      credit: 8,
      ...hello,
    });
  }
}

/** As its `Host` names it. */
export function placeOf({ host, port }: Door): string {
  return `${host}:${port}`;
}

export function originOf(door: Door): string {
  return `http://${placeOf(door)}`;
}

/** Asks the gateway as the operator for the door and a code, as `sub ui` does. */
export async function opened(
  operator: GatewayClient,
): Promise<{ readonly door: Door; readonly code: string }> {
  const answer = await untilFree(
    () => operator.request('ui.listen', {}),
    ({ error }) => error?.message ?? '',
  );
  const data = dataOf(answer);
  const door = { port: numberAt(data, 'port') ?? 0, host: textAt(data, 'host') };
  return { door, code: textAt(data, 'code') };
}

/** Shows a code, as a page does. */
export function showCode(door: Door, code: string, headers: Headers = {}): Promise<Answer> {
  const own = { origin: originOf(door), 'content-type': 'application/json', ...headers };
  return ask(door, 'POST', '/ui/api/session', own, JSON.stringify({ code }));
}

/** A page with a session. */
export async function page(operator: GatewayClient): Promise<Page> {
  const { code, door } = await opened(operator);
  const { json, status, text } = await showCode(door, code);
  if (status !== 200) throw new Error(`no session: ${text}`);
  return new Page(door, textAt(json, 'token'), textAt(json, 'session'));
}

/** Unlocks a page, as a person does who reads the digits in a terminal. */
export async function unlock(operator: GatewayClient, at: Page): Promise<Answer> {
  const code = textAt(dataOf(await operator.request('ui.unlock', {})), 'code');
  return at.post('/ui/api/unlock', { code });
}

/** The socket of a page, and what came by it. */
export class Listening {
  readonly socket: Wire;
  readonly frames: GatewayFrame[] = [];
  readonly #waiting: (() => void)[] = [];
  /** Whether it takes each `rows` at once. */
  acks = true;

  constructor(door: Door, hello: PageFrame | undefined, headers: Headers = { origin: originOf(door) }) {
    const named = { host: placeOf(door), ...headers };
    this.socket = new Wire(`ws://127.0.0.1:${door.port}/ui/ws`, { headers: named });
    this.socket.on('error', () => undefined);
    this.socket.on('open', () => {
      if (hello !== undefined) this.send(hello);
    });
    this.socket.on('message', (data: Buffer) => {
      const frame: GatewayFrame = JSON.parse(data.toString('utf8'));
      this.frames.push(frame);
      if (frame.t === 'rows' && this.acks) this.send({ t: 'ack', n: frame.n });
      this.#ring();
    });
    this.socket.on('close', () => this.#ring());
  }

  get isClosed(): boolean {
    return this.socket.readyState === Wire.CLOSED;
  }

  send(frame: PageFrame): void {
    this.socket.send(JSON.stringify(frame));
  }

  /** The first frame that fits, those that have come already among them. */
  async frame<T extends GatewayFrame['t']>(
    kind: T,
    fits: (frame: Extract<GatewayFrame, { t: T }>) => boolean = () => true,
  ): Promise<Extract<GatewayFrame, { t: T }>> {
    for (;;) {
      const found = this.frames.find(
        (frame): frame is Extract<GatewayFrame, { t: T }> =>
          frame.t === kind && fits(frame as Extract<GatewayFrame, { t: T }>),
      );
      if (found !== undefined) return found;
      if (this.isClosed)
        throw new Error(`closed before a \`${kind}\`: ${JSON.stringify(this.frames.at(-1))}`);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** The frames of rows. */
  get rows(): readonly Extract<GatewayFrame, { t: 'rows' }>[] {
    return this.frames.filter((frame) => frame.t === 'rows');
  }

  close(): void {
    this.socket.close();
  }

  #ring(): void {
    for (const go of this.#waiting.splice(0)) go();
  }
}

const ASKER = fileURLToPath(new URL('asker.mjs', import.meta.url));

/** Another process that asks. */
export class Asker {
  readonly process: ChildProcess;
  readonly #answers: AsyncIterator<string>;

  constructor(command: readonly string[] = [process.execPath], env: NodeJS.ProcessEnv = {}) {
    const [program = '', ...args] = command;
    this.process = spawn(program, [...args, ASKER], {
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: true,
    });
    const { stdout } = this.process;
    if (stdout === null) throw new Error('no output');
    this.#answers = createInterface({ input: stdout })[Symbol.asyncIterator]();
  }

  async ask(
    door: Door,
    method: string,
    path: string,
    headers: Headers = {},
    body?: string,
  ): Promise<{ readonly status: number; readonly code: string }> {
    const { status, code } = await this.askFor(door, method, path, headers, body);
    return { status, code };
  }

  /** The same, with the text of the answer. */
  async askFor(
    door: Door,
    method: string,
    path: string,
    headers: Headers = {},
    body?: string,
  ): Promise<{ readonly status: number; readonly code: string; readonly text: string }> {
    const named = { host: placeOf(door), ...headers };
    this.process.stdin?.write(`${JSON.stringify({ port: door.port, method, path, headers: named, body })}\n`);
    const { value } = await this.#answers.next();
    const { status, text }: { status: number; text: string } = JSON.parse(String(value));
    return {
      status,
      text,
      code: text.startsWith('{') ? textAt(objectAt(JSON.parse(text), 'error'), 'code') : text,
    };
  }

  end(): void {
    this.process.kill('SIGKILL');
  }
}
