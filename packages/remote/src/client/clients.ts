import { createHash, timingSafeEqual } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import type { Socket } from 'node:net';
import {
  ENROL_TOKEN_PREFIX,
  httpRunSecret,
  readRunToken,
  SublError,
  type Credential,
  type ProcessIdentity,
} from '@subluminal/core-types';
import { ancestors, type GatewayClient, type HomePaths, processName } from '@subluminal/ipc';
import { joinRun, type RunLabels, runLabels } from '@subluminal/agent';
import {
  type ClientDoor,
  type InnerAsker,
  innerClient,
  type KeyRing,
  type RunRegistry,
} from '@subluminal/gateway';
import type { OpenDoor } from './door.js';
import { quietly } from './peer-process.js';
import type { OpenSession } from '../run-link.js';

/** Only so much of an environment is looked at. */
const MAX_ENVIRONMENT = 262_144;

export interface ClientsParts {
  readonly paths: HomePaths;
  readonly keys: KeyRing;
  readonly registry: RunRegistry;
  readonly openSession: OpenSession;
  /** Which process is at the other end of a connection. */
  readonly peers: { of(peerPort: number, ownPort: number): Promise<ProcessIdentity | undefined> };
}

/** The other end of a connection. */
export interface ClientCaller {
  readonly runId: string;
  /** Undefined where the token of a run was shown: it is not asked which process shows it. */
  readonly process: ProcessIdentity | undefined;
}

/**
 * Tells which run a client's request belongs to: by the token of a run, or by the enrol token and the process
 * that asks.
 */
export class Clients {
  readonly #parts: ClientsParts;
  /** What was found out about a connection that showed the enrol token. */
  readonly #joined = new WeakMap<Socket, Promise<ClientCaller>>();

  constructor(parts: ClientsParts) {
    this.#parts = parts;
  }

  /**
   * The id of the run that the request belongs to.
   * @throws SublError `not_permitted` for a wrong token, `run_ended`, `ticket_required` where the client's
   * process cannot be told, and what enrolling throws.
   */
  async runOf(token: string, socket: Socket, door: ClientDoor): Promise<string> {
    if ('enrolToken' in door) return (await this.callerOf(token, socket, door)).runId;
    return this.#live({ runId: door.world.runId, process: undefined }).runId;
  }

  /** The same, with the process that asks. @throws SublError as `runOf` does. */
  async callerOf(token: string, socket: Socket, door: ClientDoor): Promise<ClientCaller> {
    return this.#live(await this.#caller(token, socket, door));
  }

  #live(caller: ClientCaller): ClientCaller {
    if (this.#parts.registry.live(caller.runId) === undefined)
      throw new SublError('run_ended', 'the run has ended');
    return caller;
  }

  async #caller(token: string, socket: Socket, door: ClientDoor): Promise<ClientCaller> {
    if (!('enrolToken' in door)) {
      const { runId, processOf } = door.world;
      const client = await processOf(socket);
      if (client === undefined) throw new SublError('not_available', 'which process asks cannot be told');
      return { runId, process: client };
    }
    return token.startsWith(ENROL_TOKEN_PREFIX) ? this.#enrolled(token, socket, door) : this.#ofRun(token);
  }

  #ofRun(token: string): ClientCaller {
    const { keys } = this.#parts;
    const shown = readRunToken(token);
    // The same work and the same answer for a run that does not exist, and for what is no token.
    const expected = httpRunSecret(keys.runKey(shown?.runId ?? 'none'));
    if (shown === undefined || !timingSafeEqual(expected, shown.secret)) throw wrongToken();
    return { runId: shown.runId, process: undefined };
  }

  #enrolled(token: string, socket: Socket, { enrolToken, port }: OpenDoor): Promise<ClientCaller> {
    if (!timingSafeEqual(digest(token), digest(enrolToken))) throw wrongToken();
    const known = this.#joined.get(socket);
    if (known !== undefined) return known;
    const joined = this.#join(socket, port);
    this.#joined.set(socket, joined);
    // One that failed is tried again by the next request.
    joined.catch(() => this.#joined.delete(socket));
    return joined;
  }

  async #join(socket: Socket, port: number): Promise<ClientCaller> {
    const { paths, peers } = this.#parts;
    const client = socket.remotePort === undefined ? undefined : await peers.of(socket.remotePort, port);
    if (client === undefined)
      throw new SublError('ticket_required', 'which process asks cannot be told', {
        help: 'start the client with `sub run`',
      });
    const ticket = await joinRun({
      paths,
      labels: labelsOf(client),
      joins: undefined,
      lineage: [client, ...ancestors(client.pid)],
      connect: (credential) => Promise.resolve(this.#client(credential)),
      ensureGateway: () => Promise.resolve(),
    });
    return { runId: ticket.run_id, process: client };
  }

  /** The client of a key, within this process: of the enrol key, or of the run that it opened. */
  #client({ kind, id }: Credential): GatewayClient {
    const asker: InnerAsker = kind === 'run' ? { kind, runId: id } : { kind: 'enrol' };
    const session = this.#parts.openSession(asker, () => undefined);
    if (session === undefined) throw new SublError('run_ended', 'the run has ended');
    const closed = new Promise<never>(() => undefined);
    return innerClient(session, { ledgerId: this.#parts.keys.ledgerId, closed });
  }
}

function wrongToken(): SublError {
  return new SublError('not_permitted', 'the token is missing, or is not one of this gateway');
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** What the client's own process says of the run that is opened for it, as a shim below it would say it. */
function labelsOf({ pid }: ProcessIdentity): RunLabels {
  return runLabels(environmentOf(pid), processName(pid), folderOf(pid));
}

function environmentOf(pid: number): NodeJS.ProcessEnv {
  const text = quietly(() => readFileSync(`/proc/${pid}/environ`, 'utf8')) ?? '';
  const pairs = text
    .slice(0, MAX_ENVIRONMENT)
    .split('\0')
    .filter((pair) => pair.startsWith('SUB_'));
  return Object.fromEntries(
    pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  );
}

function folderOf(pid: number): string {
  return quietly(() => readlinkSync(`/proc/${pid}/cwd`)) ?? '/';
}
