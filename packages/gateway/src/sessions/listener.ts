import { chmodSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { encodeFrame, isSublError, SublError } from '@subluminal/core-types';
import type { RandomBytes } from '../base/clock.js';
import type { KeyRing } from '../base/keys.js';
import { FirstFrames } from './first-frames.js';
import { REFUSED_FRAME, ServerHandshake, type ShownIdentity } from './handshake.js';
import type { PeerLimits } from './limits.js';
import type { HandshakePace } from './handshake-pace.js';
import type { RefusalReason, RefusedPeers } from './refused-peers.js';

/** What a listener needs. */
export interface ListenerParts {
  readonly keys: KeyRing;
  readonly random: RandomBytes;
  readonly limits: PeerLimits;
  readonly refused: RefusedPeers;
  /** Spreads its handshakes out, with those of others that share it. */
  readonly pace: HandshakePace;
  /**
   * A peer has shown who it is. True when such a client exists and the socket was taken over; `rest` are the
   * bytes that it sent after its proof.
   */
  readonly admit: (socket: Socket, identity: ShownIdentity, rest: Buffer) => boolean;
  readonly onError: (error: unknown) => void;
}

/**
 * The gateway's socket. Until a peer has shown a key it costs at most one connection of a few, for at most
 * two seconds, and nothing durable. ARCHITECTURE.md, "The socket".
 */
export class Listener {
  readonly #parts: ListenerParts;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** In the order in which they came, with what turns each away. */
  readonly #unauthenticated = new Map<Socket, (reason: RefusalReason) => void>();

  constructor(parts: ListenerParts) {
    this.#parts = parts;
    this.#server = createServer({ noDelay: true }, (socket) => this.#accept(socket));
  }

  /** Begins to listen. The socket file is 0600 in a 0700 folder. @throws SublError `failed`. */
  async listen(path: string): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const fail = (cause: Error): void => {
        reject(new SublError('failed', `cannot listen on \`${path}\`: ${cause.message}`, { cause }));
      };
      this.#server.once('error', fail);
      this.#server.listen(path, () => {
        this.#server.off('error', fail);
        // Such as too many open files: it concerns one connection, and the others go on.
        this.#server.on('error', this.#parts.onError);
        resolve();
      });
    });
    if (process.platform !== 'win32') chmodSync(path, 0o600);
  }

  /** Takes no more connections and drops those that have not shown a key. The socket file is removed. */
  stop(): void {
    this.#server.close();
    for (const socket of this.#unauthenticated.keys()) socket.destroy();
  }

  /** Drops every connection. */
  destroy(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #accept(socket: Socket): void {
    const { limits } = this.#parts;
    // A socket error is always followed by close, which is where things are released.
    socket.on('error', () => socket.destroy());
    if (this.#sockets.size >= limits.maxConnections + limits.maxUnauthenticated) {
      this.#parts.refused.count('too_many');
      socket.destroy();
      return;
    }
    if (this.#unauthenticated.size >= limits.maxUnauthenticated) this.#dropOldest();
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    this.#shakeHands(socket);
  }

  /**
   * The peer that waits longest makes room: peers that only hold their places keep nobody out who shakes
   * hands at once.
   */
  #dropOldest(): void {
    for (const [socket, turnAway] of this.#unauthenticated) {
      turnAway('too_many');
      socket.destroy();
      return;
    }
  }

  #shakeHands(socket: Socket): void {
    const handshake = new ServerHandshake(this.#parts.keys, this.#parts.random);
    const frames = new FirstFrames();
    let step: 'hello' | 'busy' | 'proof' | 'over' = 'hello';

    const leave = (): void => {
      step = 'over';
      clearTimeout(deadline);
      this.#unauthenticated.delete(socket);
      socket.off('data', onData);
      socket.off('close', onClose);
    };
    const turnAway = (reason: RefusalReason): void => {
      if (step === 'over') return;
      leave();
      this.#parts.refused.count(reason);
      socket.end(encodeFrame(REFUSED_FRAME), () => socket.destroy());
    };
    this.#unauthenticated.set(socket, turnAway);
    const onClose = (): void => turnAway('unfinished');
    const hello = (text: string): void => {
      step = 'busy';
      this.#parts.pace.run(() => {
        if (step === 'over') return;
        attempt(() => socket.write(encodeFrame(handshake.answer(text))));
        if (step === 'busy') step = 'proof';
        advance();
      });
    };
    const proof = (text: string): void => {
      const identity = handshake.conclude(text);
      leave();
      // Whether it is read from here on is for its connection to say.
      if (!this.#parts.admit(socket, identity, frames.rest())) {
        this.#parts.refused.count('identity');
        socket.end(encodeFrame(REFUSED_FRAME), () => socket.destroy());
      }
    };
    const advance = (): void => {
      attempt(() => {
        if (step !== 'hello' && step !== 'proof') return;
        const text = frames.next();
        if (text === undefined) return;
        if (step === 'hello') hello(text);
        else proof(text);
      });
    };
    const attempt = (work: () => void): void => {
      try {
        work();
      } catch (error) {
        // Whatever a peer brings about that was not foreseen costs it its connection, and nobody else theirs.
        if (!isSublError(error)) this.#parts.onError(error);
        if (step === 'over') socket.destroy();
        else turnAway(isSublError(error, 'handshake_refused') ? 'identity' : 'frame');
      }
    };
    const onData = (chunk: Buffer): void => {
      attempt(() => frames.push(chunk));
      advance();
    };
    const deadline = setTimeout(() => turnAway('deadline'), this.#parts.limits.handshakeDeadlineMs);
    socket.on('data', onData);
    socket.once('close', onClose);
  }
}
