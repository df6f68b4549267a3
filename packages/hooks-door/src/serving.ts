import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import {
  isSublError,
  type JsonObject,
  type ProcessIdentity,
  STOPPED_BY_OPERATOR,
} from '@subluminal/core-types';
import { type ClientDoor, errorText, type Logger, type RefusedPeers } from '@subluminal/gateway';
import { claude, type Dialect } from '@subluminal/hooks';
import { HookRefusal, readHookAsk } from './ask.js';
import { Places } from './places.js';
import { type HookBody, readBody } from './read-body.js';
import { type OpenSession, RunHooks } from './run-hooks.js';

/** A client waits for no longer than fifteen seconds, and then calls the tool. */
const ANSWER_MS = 10_000;
/** After these the run takes no call any more, and the client is told so. */
const RUN_OVER = ['handshake_refused', 'run_ended', 'run_terminated'] as const;

/** The other end of a connection. */
export interface HookCaller {
  readonly runId: string;
  /** Undefined where the token of a run was shown, and it was not asked. */
  readonly process: ProcessIdentity | undefined;
}

export interface HookServingParts {
  readonly ledgerId: string;
  /** Tells whose run a request belongs to. @throws SublError */
  readonly callerOf: (token: string, socket: Socket, door: ClientDoor) => Promise<HookCaller>;
  readonly openSession: OpenSession;
  /** Whether the operator has stopped everything. */
  readonly isStopped: () => boolean;
  readonly refused: RefusedPeers;
  /** Whether the system tells which process is at the other end of a connection. */
  readonly tellsProcesses: boolean;
  /** Whether a process speaks for the client that it stands below. */
  readonly speaks: (process: ProcessIdentity) => boolean;
  readonly maxInspectBytes: () => number;
  /** Whether a client shows its person that a question waits. */
  readonly tellsTerminal: () => boolean;
  readonly clock: () => number;
  readonly monotonic: () => number;
  readonly log: Logger;
}

/** The events of a client since the gateway started. */
interface Seen {
  count: number;
  lastMs: number;
}

/** The clients that ask over HTTP, by the last part of the path. Codex asks through its control server. */
const DIALECTS: ReadonlyMap<string, Dialect> = new Map([['claude', claude]]);

/**
 * Answers the hooks of clients. A request that is not what it should be is answered with a status other than
 * 200, which a client takes for a hook that failed: what it does then stands in its own configuration.
 */
export class HookServing {
  readonly #parts: HookServingParts;
  readonly #runs = new Map<string, RunHooks>();
  readonly #seen = new Map<string, Seen>();
  /** Connections whose process was looked at. */
  readonly #known = new WeakMap<Socket, { readonly token: string; readonly looked: Promise<HookCaller> }>();
  readonly #places = new Places();

  constructor(parts: HookServingParts) {
    this.#parts = parts;
  }

  /** How many events came of each client, and when the last one did. */
  status(): JsonObject {
    return Object.fromEntries(
      [...this.#seen].map(([client, { count, lastMs }]) => [
        client,
        { events: count, last_event_at: new Date(lastMs).toISOString() },
      ]),
    );
  }

  /** Answers one request. */
  handle(request: IncomingMessage, response: ServerResponse, door: ClientDoor): void {
    response.on('error', () => undefined);
    this.#answer(request, door).then(
      (answer) => send(response, 200, answer),
      (error: unknown) => {
        if (error instanceof HookRefusal) {
          this.#parts.refused.count(error.status === 403 ? 'hook_speaker' : 'hook_form');
          send(response, error.status, { error: `subluminal: ${error.message}` });
        } else if (isSublError(error)) {
          if (error.code === 'not_permitted') this.#parts.refused.count('hook_token');
          send(response, error.code === 'not_permitted' ? 401 : 503, {
            error: `subluminal: ${error.message}`,
          });
        } else {
          this.#parts.log.error('a hook could not be answered', { error: errorText(error) });
          send(response, 500, { error: 'subluminal: the gateway failed' });
        }
      },
    );
  }

  /** Ends everything that goes on, and reports it. */
  async stop(): Promise<void> {
    this.#parts.refused.flush();
    await Promise.all([...this.#runs.values()].map((run) => run.end()));
  }

  async #answer(request: IncomingMessage, door: ClientDoor): Promise<JsonObject> {
    const { client, token } = readHookAsk(request, door.port);
    const dialect = DIALECTS.get(client);
    if (dialect === undefined) throw new HookRefusal(404, 'no client of that name has hooks here');
    return inTime(this.#judged(request, client, dialect, this.#caller(token, request.socket, door)), () =>
      dialect.refuse('the call was not decided in time'),
    );
  }

  async #judged(
    request: IncomingMessage,
    client: string,
    dialect: Dialect,
    asking: Promise<HookCaller>,
  ): Promise<JsonObject> {
    const caller = await asking.catch((error: unknown) => this.#whyUnknown(error));
    const key = typeof caller === 'string' ? '' : `${caller.runId} ${caller.process?.pid}`;
    const leave = this.#places.take(key);
    if (leave === undefined) return dialect.refuse('too many calls are asked for at once');
    try {
      return await this.#answerTo(request, client, dialect, caller);
    } finally {
      leave();
    }
  }

  /**
   * Every status but 200 lets a call pass: this client's call is refused where its event cannot be read, and
   * where nothing was decided. `caller` is a text where it is not known whose run the event is of.
   */
  async #answerTo(
    request: IncomingMessage,
    client: string,
    dialect: Dialect,
    caller: HookCaller | string,
  ): Promise<JsonObject> {
    let body: HookBody;
    try {
      body = await readBody(request);
    } catch (error) {
      if (!(error instanceof HookRefusal)) throw error;
      this.#parts.refused.count('hook_form');
      return dialect.refuse(`${error.message}, so the call was not made`);
    }
    const told = dialect.read(body.event);
    if (told === undefined) throw new HookRefusal(400, 'the event is none that this client sends');
    // Only a call is answered with a refusal; all else is told to nobody.
    const refused = (why: string): JsonObject =>
      told.kind === 'begins' ? dialect.refuse(why) : dialect.pass();
    // Its run has ended, and takes no entry any more: the mark of the panic is the record of why.
    if (this.#parts.isStopped()) return refused(STOPPED_BY_OPERATOR);
    if (typeof caller === 'string') return refused(caller);
    this.#count(client);
    try {
      return await this.#of(caller.runId, client, dialect).hooks.answerTo(told, body.bytes);
    } catch (error) {
      return refused(this.#whyUnknown(error));
    }
  }

  /** @throws the error where the request is none of a client that is asked for. */
  #whyUnknown(error: unknown): string {
    if (error instanceof HookRefusal || isSublError(error, 'not_permitted', 'ticket_required')) throw error;
    if (isSublError(error, ...RUN_OVER)) return RUN_IS_OVER;
    if (isSublError(error)) return `the call was not decided: ${error.message}`;
    this.#parts.log.error('a hook could not be answered', { error: errorText(error) });
    return 'the gateway failed, so the call was not made';
  }

  async #caller(token: string, socket: Socket, door: ClientDoor): Promise<HookCaller> {
    const known = this.#known.get(socket);
    if (known?.token === token) return known.looked;
    const looked = this.#parts.callerOf(token, socket, door).then((hooked) => {
      const { speaks, tellsProcesses } = this.#parts;
      // Whatever the client starts finds the token of its run in the environment.
      if (hooked.process === undefined && tellsProcesses)
        throw new HookRefusal(401, 'the token of a run does not say which of its programs asks');
      if (hooked.process !== undefined && !speaks(hooked.process))
        throw new HookRefusal(403, 'a program that a client started does not speak for it');
      return hooked;
    });
    this.#known.set(socket, { token, looked });
    looked.catch(() => this.#known.delete(socket));
    return looked;
  }

  #of(runId: string, client: string, dialect: Dialect): RunHooks {
    const key = `${client} ${runId}`;
    const known = this.#runs.get(key);
    if (known !== undefined) return known;
    const { ledgerId, log, maxInspectBytes, monotonic, openSession, tellsTerminal } = this.#parts;
    const run = new RunHooks({
      runId,
      dialect,
      openSession,
      ledgerId,
      maxInspectBytes,
      tellsTerminal,
      monotonic,
      log: (line) => log.info('a hook', { run: runId, line }),
      onEnd: () => {
        if (this.#runs.get(key) === run) this.#runs.delete(key);
      },
    });
    this.#runs.set(key, run);
    return run;
  }

  #count(client: string): void {
    const { count } = this.#seen.get(client) ?? { count: 0 };
    this.#seen.set(client, { count: count + 1, lastMs: this.#parts.clock() });
  }
}

const RUN_IS_OVER = 'the run has ended: nothing more is done in it';

async function inTime<T>(answer: Promise<T>, late: () => T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(late()), ANSWER_MS);
  });
  try {
    return await Promise.race([answer, over]);
  } finally {
    clearTimeout(timer);
  }
}

function send(response: ServerResponse, status: number, body: JsonObject): void {
  if (response.headersSent || response.destroyed) return;
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length });
  response.end(bytes);
}
