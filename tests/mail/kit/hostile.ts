import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import type { Authority } from './authority.js';

/** What a server does on a connection; it may flood, and is then stopped only by the other side. */
export type Script = (peer: Peer) => void;

/** One connection as a hostile server sees it. */
export class Peer {
  readonly socket: Socket;
  readonly lines: string[] = [];
  #rest = '';
  #listen: (line: string) => void = () => undefined;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('error', () => undefined);
    socket.on('data', (piece: Buffer) => {
      const lines = (this.#rest + piece.toString('latin1')).split('\r\n');
      this.#rest = lines.pop() ?? '';
      for (const line of lines) {
        this.lines.push(line);
        this.#listen(line);
      }
    });
  }

  say(text: string): void {
    if (this.socket.writable) this.socket.write(text);
  }

  /** For each line that comes. */
  onLine(listen: (line: string) => void): void {
    this.#listen = listen;
  }

  /** Says it for ever, as fast as it is taken. */
  flood(piece: string): void {
    const bytes = Buffer.from(piece.repeat(Math.ceil(16_384 / piece.length)));
    const more = (): void => {
      while (this.socket.writable && this.socket.write(bytes));
      if (this.socket.writable) this.socket.once('drain', more);
    };
    more();
  }

  /** Says one byte of it every 20 ms, for ever. */
  drip(piece: string): void {
    let at = 0;
    const timer = setInterval(() => {
      if (!this.socket.writable) clearInterval(timer);
      this.say(piece[at % piece.length] ?? '');
      at += 1;
    }, 20);
    this.socket.once('close', () => clearInterval(timer));
  }
}

/** A server on a real socket, with real TLS from the first byte unless it is to begin in plain text. */
export class HostileServer {
  script: Script = () => undefined;
  security: 'tls' | 'starttls' = 'tls';
  connections = 0;
  /** The last connection. */
  peer: Peer | undefined;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor(authority: Authority) {
    const secureContext = createSecureContext({
      key: authority.text('key.pem'),
      cert: authority.text('cert.pem'),
    });
    this.#server = createServer((raw) => {
      this.connections += 1;
      this.#sockets.add(raw);
      raw.on('error', () => undefined).on('close', () => this.#sockets.delete(raw));
      const socket = this.security === 'tls' ? new TLSSocket(raw, { isServer: true, secureContext }) : raw;
      this.peer = new Peer(socket);
      this.script(this.peer);
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
}

/** Speaks SMTP as it should, save for what `odd` answers: by verb, and by `dot` for the end of a message. */
export function smtp(odd: Readonly<Record<string, string | ((peer: Peer) => void)>>): Script {
  return (peer) => {
    const answers: Readonly<Record<string, string>> = {
      greeting: '220 mail.test',
      EHLO: '250-mail.test\r\n250 AUTH PLAIN',
      AUTH: '235 welcome',
      DATA: '354 go on',
      dot: '250 taken',
    };
    const answer = (name: string): void => {
      const own = odd[name] ?? answers[name] ?? '250 ok';
      if (typeof own === 'string') peer.say(`${own}\r\n`);
      else own(peer);
    };
    let isData = false;
    answer('greeting');
    peer.onLine((line) => {
      const verb = line.split(/[ :]/)[0] ?? '';
      if (isData && line !== '.') return;
      answer(isData ? 'dot' : verb);
      isData = !isData && verb === 'DATA';
    });
  };
}

/**
 * Speaks IMAP as it should, save for what `odd` answers by command, and by `end` for the end of a draft; a
 * text stands before the completion.
 */
export function imap(odd: Readonly<Record<string, string | ((peer: Peer, tag: string) => void)>>): Script {
  return (peer) => {
    const answers: Readonly<Record<string, string>> = {
      CAPABILITY: '* CAPABILITY IMAP4rev1\r\n',
      EXAMINE: '* 1 EXISTS\r\n',
      LIST: '* LIST (\\Drafts) "/" Drafts\r\n',
      APPEND: '+ go on\r\n',
    };
    /**
     * The command of a draft on its way, and how many empty lines it has still: one after its head, one at
     * its end.
     */
    let [draft, empty] = ['', 0];
    const answer = (name: string, tag: string, rest = ''): void => {
      const own = odd[name] ?? answers[name] ?? '';
      if (typeof own === 'string') peer.say(`${own}${rest}`);
      else own(peer, tag);
    };
    answer('greeting', '', odd['greeting'] === undefined ? '* OK ready\r\n' : '');
    peer.onLine((line) => {
      const [tag = '', first = '', second = ''] = line.split(' ');
      if (empty > 0) {
        if (line === '') empty -= 1;
        if (empty === 0) answer('end', draft, `${draft} OK done\r\n`);
        return;
      }
      if (first === 'APPEND') [draft, empty] = [tag, 2];
      answer(first === 'UID' ? second : first, tag, first === 'APPEND' ? '' : `${tag} OK done\r\n`);
    });
  };
}
