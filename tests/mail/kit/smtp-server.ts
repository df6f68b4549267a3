import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import type { Authority } from './authority.js';

/** Where a conversation is, in the order in which it gets there. */
export const STEPS = [
  'connected',
  'ehlo',
  'starttls',
  'auth',
  'mail',
  'rcpt',
  'data',
  'inside',
  'dot',
  'answered',
] as const;
export type Step = (typeof STEPS)[number];

/** How a server of a test behaves; default: as it should. */
export interface Behaviour {
  readonly security?: 'tls' | 'starttls';
  /** Does not offer STARTTLS. */
  readonly strips?: boolean;
  /** Sends this right behind its consent to STARTTLS, in plain text. */
  readonly injects?: string;
  /** In place of its greeting. */
  readonly greets?: string;
  /** Ends the connection at that step, in place of answering. */
  readonly cutsAt?: Step;
  /** The answer to the final dot. */
  readonly final?: string;
  readonly refuses?: string;
  /** Offers PIPELINING, and asks for the message when any recipient will do. */
  readonly pipelines?: boolean;
  /** Is told of each step; what it returns is waited for. */
  readonly onStep?: (step: Step) => void | Promise<void>;
}

/**
 * An SMTP server on a real socket with real TLS, that keeps what it took and everything that came before TLS.
 */
export class SmtpServer {
  readonly taken: { readonly from: string; readonly to: readonly string[]; readonly message: string }[] = [];
  readonly plain: string[] = [];
  connections = 0;
  behaviour: Behaviour = {};
  readonly password: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #authority: Authority;

  constructor(authority: Authority, password: string) {
    this.#authority = authority;
    this.password = password;
    this.#server = createServer((socket) => {
      this.connections += 1;
      this.#sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => this.#sockets.delete(socket));
      void this.#serve(socket);
    });
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  async #serve(raw: Socket): Promise<void> {
    const is = this.behaviour;
    let socket: Socket = is.security === 'tls' ? this.#secured(raw) : raw;
    let isSecure = is.security === 'tls';
    let lines = linesOf(socket);
    let from = '';
    let to: string[] = [];
    const step = async (name: Step): Promise<boolean> => {
      await is.onStep?.(name);
      if (is.cutsAt !== name) return true;
      raw.destroy();
      return false;
    };
    const say = (text: string): void => void socket.write(`${text}\r\n`);
    if (!(await step('connected'))) return;
    say(is.greets ?? '220 mail.test ready');
    for (;;) {
      const { value: line, done } = await lines.next();
      if (done === true || line === undefined) return;
      if (!isSecure) this.plain.push(line);
      const verb = line.split(/[ :]/)[0]?.toUpperCase();
      if (verb === 'EHLO') {
        if (!(await step('ehlo'))) return;
        const offers = isSecure
          ? ['AUTH PLAIN LOGIN']
          : is.strips === true
            ? ['AUTH PLAIN']
            : ['STARTTLS', 'AUTH PLAIN'];
        if (is.pipelines === true) offers.push('PIPELINING');
        say(
          ['mail.test', 'SIZE 1000000', ...offers]
            .map((one, at, all) => `250${at === all.length - 1 ? ' ' : '-'}${one}`)
            .join('\r\n'),
        );
      } else if (verb === 'STARTTLS') {
        if (!(await step('starttls'))) return;
        socket.removeAllListeners('data');
        raw.write(`220 go ahead\r\n${is.injects ?? ''}`);
        if (is.injects !== undefined) continue;
        socket = this.#secured(raw);
        isSecure = true;
        lines = linesOf(socket);
      } else if (verb === 'AUTH') {
        if (!(await step('auth'))) return;
        const [, user, word] = Buffer.from(line.split(' ')[2] ?? '', 'base64')
          .toString('utf8')
          .split('\0');
        say(user === 'ada' && word === this.password ? '235 welcome' : '535 5.7.8 no');
      } else if (verb === 'MAIL') {
        if (!(await step('mail'))) return;
        from = /<(.*?)>/.exec(line)?.[1] ?? '';
        to = [];
        say('250 ok');
      } else if (verb === 'RCPT') {
        if (!(await step('rcpt'))) return;
        const recipient = /<(.*?)>/.exec(line)?.[1] ?? '';
        to.push(recipient);
        say(recipient === is.refuses ? '550 no such user' : '250 ok');
      } else if (verb === 'DATA') {
        if (!(await step('data'))) return;
        say('354 go on');
        const message: string[] = [];
        for (;;) {
          const next = await lines.next();
          if (next.done === true) return;
          if (message.length === 3 && !(await step('inside'))) return;
          if (next.value === '.') break;
          message.push(next.value.replace(/^\./, ''));
        }
        this.taken.push({ from, to, message: message.join('\r\n') });
        if (!(await step('dot'))) return;
        say(is.final ?? '250 taken');
        if (!(await step('answered'))) return;
      } else if (verb === 'QUIT') {
        say('221 bye');
        socket.end();
        return;
      } else say('502 what?');
    }
  }

  #secured(raw: Socket): Socket {
    const context = createSecureContext({
      key: this.#authority.text('key.pem'),
      cert: this.#authority.text('cert.pem'),
    });
    const secure = new TLSSocket(raw, { isServer: true, secureContext: context });
    secure.on('error', () => undefined);
    return secure;
  }
}

async function* linesOf(socket: Socket): AsyncGenerator<string, undefined> {
  let buffer = '';
  const waiting: (() => void)[] = [];
  let isOver = false;
  const wake = (): void => waiting.splice(0).forEach((one) => one());
  socket.on('data', (piece: Buffer) => {
    buffer += piece.toString('latin1');
    wake();
  });
  socket.on('close', () => {
    isOver = true;
    wake();
  });
  for (;;) {
    const end = buffer.indexOf('\r\n');
    if (end >= 0) {
      const line = buffer.slice(0, end);
      buffer = buffer.slice(end + 2);
      yield line;
    } else if (isOver) return undefined;
    else await new Promise<void>((resolve) => waiting.push(resolve));
  }
}
