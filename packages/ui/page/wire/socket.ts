import {
  MOST_CREDIT,
  SOCKET,
  type GatewayFrame,
  type PageFrame,
  type Row,
  type State,
} from '../../src/protocol/index.js';

/** The owner of a socket, as the socket sees it. Rows that come thick come together. */
export interface Listener {
  welcome(ledger: string, head: number): void;
  /** `left` are rows of records that do not fit the filter any more. */
  rows(rows: readonly Row[], left: readonly Row[]): void;
  /** Entries that will not be sent: they are read by range, or left. */
  skipped(from: number, upto: number): void;
  state(state: State): void;
  badFilter(message: string): void;
  /** `null`: connected; else since when it is not, epoch ms. */
  lost(since: number | null): void;
  /** The session is over: no further attempt is made. */
  dead(): void;
}

/** A connection that comes back by itself, at the entry where it was lost. */
export interface Connection {
  close(): void;
}

/** Things of the browser and of chance that a connection needs. */
export interface SocketParts {
  readonly token: string;
  readonly filter: string;
  readonly now: () => number;
  /** Between 0 and 1. */
  readonly random: () => number;
}

const FIRST_WAIT_MS = 250;
/** Rows that come thick are drawn together: each drawing takes time from the gateway that feeds them. */
const DRAW_MS = 250;
const LONGEST_WAIT_MS = 8000;

/** The way to open a connection. */
export type Connect = (parts: SocketParts, listener: Listener) => Connection;

/** Opens the socket, and again whenever it is lost: after 0.25 to 8 s, with jitter. */
export function connect(parts: SocketParts, listener: Listener): Connection {
  let socket: WebSocket | null = null;
  /** The first entry that is wanted; null for what comes next. */
  let next: number | null = null;
  let wait = FIRST_WAIT_MS;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lostAt: number | null = null;
  let closed = false;
  let gathered: Row[] = [];
  let gone: Row[] = [];
  let frame = 0;
  let drawing: ReturnType<typeof setTimeout> | undefined;
  let drawnAt = -Infinity;
  let toAck = 0;

  const send = (message: PageFrame): void => {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  };
  const flush = (): void => {
    frame = 0;
    clearTimeout(drawing);
    drawing = undefined;
    if (closed) return;
    drawnAt = performance.now();
    const [rows, left] = [gathered, gone];
    [gathered, gone] = [[], []];
    listener.rows(rows, left);
    send({ t: 'ack', n: toAck });
  };
  const drawSoon = (): void => {
    if (drawing !== undefined) return;
    drawing = setTimeout(
      () => {
        frame = requestAnimationFrame(flush);
      },
      Math.max(0, drawnAt + DRAW_MS - performance.now()),
    );
  };
  const over = (): void => {
    closed = true;
    listener.dead();
    socket?.close();
  };
  const taken = (message: GatewayFrame): void => {
    switch (message.t) {
      case 'welcome':
        wait = FIRST_WAIT_MS;
        lostAt = null;
        listener.lost(null);
        next ??= message.head + 1;
        return listener.welcome(message.ledger, message.head);
      case 'rows':
        gathered.push(...message.rows);
        gone.push(...message.left);
        next = message.upto + 1;
        toAck = message.n;
        // A hidden tab has no frames: it has said `pause`, and takes what was under way at once.
        if (document.hidden) flush();
        else drawSoon();
        return undefined;
      case 'behind':
        if (!message.skipped) return undefined;
        next = message.upto + 1;
        return listener.skipped(message.from, message.upto);
      case 'state':
        return listener.state(message.state);
      case 'bad_filter':
        return listener.badFilter(message.message);
      case 'bye':
        return message.code === 'no_session' ? over() : undefined;
    }
  };
  const open = (): void => {
    const opened = new WebSocket(SOCKET);
    socket = opened;
    opened.addEventListener('open', () => {
      send({ t: 'hello', token: parts.token, filter: parts.filter, from: next, credit: MOST_CREDIT });
      if (document.hidden) send({ t: 'pause' });
    });
    opened.addEventListener('message', (event: MessageEvent<string>) => {
      if (socket === opened && !closed) taken(JSON.parse(event.data));
    });
    opened.addEventListener('close', () => {
      if (socket !== opened || closed) return;
      lostAt ??= parts.now();
      listener.lost(lostAt);
      toAck = 0;
      timer = setTimeout(open, wait * (0.5 + parts.random()));
      wait = Math.min(LONGEST_WAIT_MS, wait * 2);
    });
  };
  const seen = (): void => {
    if (document.hidden) return send({ t: 'pause' });
    if (gathered.length > 0) drawSoon();
    return send({ t: 'resume', from: next });
  };
  document.addEventListener('visibilitychange', seen);
  open();
  return {
    close() {
      closed = true;
      document.removeEventListener('visibilitychange', seen);
      clearTimeout(timer);
      clearTimeout(drawing);
      cancelAnimationFrame(frame);
      socket?.close();
    },
  };
}
