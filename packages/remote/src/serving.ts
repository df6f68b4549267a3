import type { IncomingMessage, ServerResponse } from 'node:http';
import { isSublError } from '@subluminal/core-types';
import type { HomePaths } from '@subluminal/ipc';
import type { SessionLimits } from '@subluminal/mcp';
import {
  SharedRoom,
  type ClientDoor,
  errorText,
  type HeaderSecrets,
  type Logger,
  type RefusedPeers,
  startTicking,
  Turns,
} from '@subluminal/gateway';
import type { Line } from '@subluminal/egress';
import { type Ask, readAsk } from './client/ask.js';
import type { Channel } from './channel.js';
import { ClientAnswer } from './client/client-answer.js';
import type { Clients } from './client/clients.js';
import { Exchange } from './exchange.js';
import { headerMismatch, isModern } from './client/header-match.js';
import type { HttpLimits } from './limits.js';
import { BodyBroken, type Judged, type ReadingLimits, readMessage } from './client/read-message.js';
import { ForeignOrigin, HttpRefusal, RPC } from './client/refusal.js';
import { RunLink, type RunLinkParts, UnknownSession } from './run-link.js';

const SWEEP_MS = 30_000;
/** What all messages that are being read hold in memory. */
const MAX_HELD_BYTES = 134_217_728;

export interface ServingParts {
  readonly paths: HomePaths;
  readonly ledgerId: string;
  readonly clients: Clients;
  readonly openSession: RunLinkParts['openSession'];
  /** Counts who is turned away before it is known whose it is. */
  readonly refused: RefusedPeers;
  readonly line: Line;
  /** The secrets in headers of requests to servers. */
  readonly secrets: HeaderSecrets;
  /** The allowlist's generation. */
  readonly generation: () => number;
  readonly monotonic: () => number;
  readonly limits: HttpLimits;
  readonly session: SessionLimits;
  readonly log: Logger;
}

/**
 * MCP over HTTP: the adapter that stands between clients and remote servers. It decides nothing: it has asked
 * for everything that it passes on, in a session of the run. It asks as the gateway where it may dial.
 */
export class HttpServing {
  readonly #parts: ServingParts;
  readonly #runs = new Map<string, RunLink>();
  readonly #held = new SharedRoom(MAX_HELD_BYTES, 0);
  readonly #reading: ReadingLimits;
  #exchanges = 0;
  #stopTicking: () => void = () => undefined;

  constructor(parts: ServingParts) {
    this.#parts = parts;
    const { session, limits, paths } = parts;
    const turns = new Turns(parts.monotonic);
    this.#reading = { session, held: this.#held, turns, spoolFolder: paths.runDir, stallMs: limits.stallMs };
  }

  /** Looks after what goes on, until `stop`. Not before: a gateway that does not come to serve has to end. */
  start(): void {
    this.#stopTicking = startTicking(
      SWEEP_MS,
      (error) => this.#parts.log.error('a routine failed', { error: errorText(error) }),
      () => this.#sweep(),
    );
  }

  get counts(): { readonly sessions: number; readonly exchanges: number } {
    let sessions = 0;
    for (const run of this.#runs.values()) sessions += run.sessions;
    return { sessions, exchanges: this.#exchanges };
  }

  /** Answers one request. */
  handle(request: IncomingMessage, response: ServerResponse, door: ClientDoor): void {
    const answer = new ClientAnswer(response, this.#parts.session);
    this.#serve(request, answer, door).catch((error: unknown) => {
      if (error instanceof ForeignOrigin) this.#parts.refused.count('http_origin');
      if (error instanceof HttpRefusal) answer.refuse(error);
      else if (isSublError(error)) {
        if (error.code === 'not_permitted') this.#parts.refused.count('http_token');
        const status = FORBIDDEN.has(error.code) ? 403 : 503;
        const help = error.help === undefined ? '' : `; ${error.help}`;
        answer.refuse(new HttpRefusal(status, `${error.message}${help}`, RPC.internal));
      } else if (error instanceof BodyBroken) answer.refuse(new HttpRefusal(400, error.message));
      else {
        this.#parts.log.error('a request over HTTP failed', { error: errorText(error) });
        answer.refuse(new HttpRefusal(500, 'the gateway failed', RPC.internal));
      }
    });
  }

  /** Ends everything that goes on, and reports it. */
  async stop(): Promise<void> {
    this.#stopTicking();
    this.#parts.refused.flush();
    await Promise.all([...this.#runs.values()].map((run) => run.end()));
    this.#parts.line.kept.close();
  }

  async #serve(request: IncomingMessage, answer: ClientAnswer, door: ClientDoor): Promise<void> {
    const ask = readAsk(request, door.port);
    const runId = await this.#parts.clients.runOf(ask.token, request.socket, door);
    if (this.#exchanges >= this.#parts.limits.maxExchanges)
      throw new HttpRefusal(503, 'too many requests are open', RPC.internal);
    const run = this.#linkOf(runId);
    const leave = run.enter();
    this.#exchanges += 1;
    try {
      if (ask.method === 'POST') await this.#post(request, run, ask, answer);
      else if (ask.method === 'GET') await this.#get(run, ask, answer);
      else await this.#delete(run, ask, answer);
    } finally {
      this.#exchanges -= 1;
      leave();
    }
  }

  async #post(request: IncomingMessage, run: RunLink, ask: Ask, answer: ClientAnswer): Promise<void> {
    checkContent(request);
    const judged = await readMessage(request, this.#reading);
    const { message } = judged;
    const opens = message.type === 'request' && message.method === 'initialize';
    const channel = this.#channelOf(run, ask, opens, judged);
    try {
      if (message.type !== 'refused') {
        const mismatch = headerMismatch(ask.mcp, message, channel.link.declared);
        if (mismatch !== undefined) {
          drop(channel.link.core, judged, 'header_mismatch');
          const idText = message.type === 'request' ? message.id.text : undefined;
          answer.refuse(new HttpRefusal(400, mismatch, RPC.headerMismatch), idText);
          return;
        }
      }
      const exchange = this.#exchange(run, channel, opens ? withoutSession(ask) : ask, answer);
      exchange.post(judged, message.type === 'request' && isModern(ask.mcp, message));
      await exchange.finished;
      if (exchange.sessionIsGone) run.close(channel);
    } finally {
      if (opens) run.opened(channel);
    }
  }

  async #get(run: RunLink, ask: Ask, answer: ClientAnswer): Promise<void> {
    const channel = this.#channelOf(run, ask, false, undefined);
    if (channel.exchanges.size >= this.#parts.limits.maxSessionStreams)
      throw new HttpRefusal(429, 'too many streams of this session are open');
    await this.#exchange(run, channel, ask, answer).pass();
  }

  async #delete(run: RunLink, ask: Ask, answer: ClientAnswer): Promise<void> {
    if (ask.sessionId === undefined) throw new HttpRefusal(400, 'which session is to end is not said');
    const channel = this.#channelOf(run, ask, false, undefined);
    const status = await this.#exchange(run, channel, ask, answer).pass();
    if (status === 404 || (status >= 200 && status < 300)) run.close(channel);
  }

  #exchange(run: RunLink, channel: Channel, ask: Ask, answer: ClientAnswer): Exchange {
    return new Exchange({ run, channel, ask, answer, reading: this.#reading, limits: this.#parts.limits });
  }

  #channelOf(run: RunLink, ask: Ask, opens: boolean, judged: Judged | undefined): Channel {
    try {
      return run.channelOf(ask, opens);
    } catch (error) {
      if (error instanceof UnknownSession) drop(error.link.core, judged, 'unknown_session');
      else if (judged !== undefined) discardPayload(judged);
      throw error;
    }
  }

  #linkOf(runId: string): RunLink {
    const known = this.#runs.get(runId);
    if (known !== undefined) return known;
    const { ledgerId, openSession, monotonic, line, secrets, generation, limits, session, log } = this.#parts;
    const link = new RunLink(
      {
        ledgerId,
        openSession,
        monotonic,
        line,
        secrets,
        generation,
        limits,
        session,
        log: (text) => log.info('over HTTP', { run: runId, line: text }),
        onEnd: () => {
          if (this.#runs.get(runId) === link) this.#runs.delete(runId);
        },
      },
      runId,
    );
    this.#runs.set(runId, link);
    return link;
  }

  #sweep(): void {
    const now = this.#parts.monotonic();
    for (const run of this.#runs.values()) if (run.sweep(now)) void run.end();
  }
}

const FORBIDDEN: ReadonlySet<string> = new Set([
  'not_permitted',
  'run_ended',
  'ticket_required',
  'too_many_enrolments',
]);

/** What opens a session is part of none: an id that somebody found would else reach the server unasked. */
function withoutSession(ask: Ask): Ask {
  const forward = ask.forward.filter(([name]) => name !== 'mcp-session-id');
  return { ...ask, sessionId: undefined, forward };
}

/** The record has it that something came and went no further. */
function drop(
  core: Channel['link']['core'],
  judged: Judged | undefined,
  reason: 'header_mismatch' | 'unknown_session',
): void {
  const message = judged?.message;
  const method = message === undefined || message.type === 'answer' ? undefined : message.method;
  const { bytes = 0, streamHash } = judged ?? {};
  if (judged !== undefined) discardPayload(judged);
  core.dropped({ direction: 'to_server', reason, bytes, method, streamHash });
}

function discardPayload({ payload }: Judged): void {
  if (!Buffer.isBuffer(payload)) payload.close();
}

/**
 * The one text that a body is read as. Another charset, which a server may heed, would make another message
 * of the same bytes.
 */
const JSON_BODY = /^application\/json[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8")[ \t]*)?$/i;

function checkContent({ headers }: IncomingMessage): void {
  if (!JSON_BODY.test(headers['content-type'] ?? ''))
    throw new HttpRefusal(415, 'the body must be `application/json`, in UTF-8');
  const coding = headers['content-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'identity')
    throw new HttpRefusal(415, 'a coded body cannot be judged');
}
