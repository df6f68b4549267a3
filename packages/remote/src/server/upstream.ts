import { Readable } from 'node:stream';
import { errorOf, SublError } from '@subluminal/core-types';
import { type Payload } from '@subluminal/mcp';
import {
  type CheckedDestination,
  type Endpoint,
  type Line,
  openExchange,
  parseEndpoint,
  type StreamAnswer,
  type StreamRequest,
} from '@subluminal/egress';
import type { InnerSession } from '@subluminal/gateway';
import type { HttpLimits } from '../limits.js';
import type { UpstreamSecrets } from './upstream-secrets.js';

/** How long addresses that were judged are dialled before the name is resolved again. */
const REACH_MS = 30_000;
/** How often a server may send a request elsewhere on itself, as `/mcp` to `/mcp/`. */
const MAX_HOPS = 3;
/** How often it is decided again since bindings changed meanwhile. */
const MAX_TRIES = 4;
const CHUNK_BYTES = 65_536;

export interface UpstreamParts {
  /** Asks what no key may ask for. */
  readonly inner: Pick<InnerSession, 'request'>;
  readonly shimId: string;
  readonly serverName: string;
  readonly upstream: Endpoint;
  readonly upstreamUrl: string;
  readonly line: Line;
  readonly secrets: UpstreamSecrets;
  /** The allowlist's generation: what was decided under another one is decided again. */
  readonly generation: () => number;
  readonly limits: HttpLimits;
  readonly monotonic: () => number;
}

/** Where on the same server a request is sent on to. */
interface Hop {
  readonly url: string;
  readonly target: string;
}

interface Reached {
  readonly destination: CheckedDestination;
  readonly generation: number;
  /** The bindings of secrets that it was decided under. */
  readonly bindings: string;
  readonly at: number;
}

/**
 * One MCP server over HTTP. The pipeline decides whether it may be reached (`http.reach`, stage 3), and the
 * addresses that were judged there are those that are dialled. Nothing is sent to another origin than the one
 * that was decided on, and no secret elsewhere than to its URL.
 */
export class UpstreamServer {
  readonly #parts: UpstreamParts;
  #reached: Reached | undefined;

  constructor(parts: UpstreamParts) {
    this.#parts = parts;
  }

  /**
   * Sends one request and gives its answer as it begins.
   * @throws SublError `not_allowed`, `address_refused`, `resolve_failed`, `adapter_failed`, `timed_out`,
   * `too_many_redirects`, or what the gateway refused it with.
   */
  async send(
    request: Pick<StreamRequest, 'method' | 'headers'> & { readonly body: Payload | undefined },
    signal: AbortSignal,
  ): Promise<StreamAnswer> {
    const { line, limits, secrets, upstream } = this.#parts;
    let { target } = upstream;
    for (let hops = 0; ; hops += 1) {
      const destination = await this.#reachAsBound();
      signal.throwIfAborted();
      // In this turn: what is put in is what the record has it that is. A redirect leads to another URL.
      const headers = await this.#withSecrets(request.headers, destination, hops === 0);
      const answer = secrets.hidden(
        await openExchange(
          line,
          destination,
          { ...request, headers, target, body: bodyOf(request.body) },
          limits,
          signal,
        ),
      );
      const next = this.#elsewhere(answer, request.method);
      if (next === undefined) return answer;
      answer.close();
      // Whether the new address is that of another name.
      await this.#reach(next.url);
      if (hops >= MAX_HOPS)
        throw new SublError('too_many_redirects', `\`${upstream.destination.origin}\` redirects too often`);
      target = next.target;
    }
  }

  /** Decides again where a binding changed in the meantime. */
  async #reachAsBound(): Promise<CheckedDestination> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const destination = await this.#reach();
      if (this.#reached?.bindings === this.#parts.secrets.bindings) return destination;
    }
    throw new SublError('overloaded', 'config.toml keeps changing');
  }

  async #withSecrets(
    headers: StreamRequest['headers'],
    destination: CheckedDestination,
    isBoundUrl: boolean,
  ): Promise<StreamRequest['headers']> {
    try {
      return this.#parts.secrets.putInto(headers, destination, isBoundUrl);
    } catch (error) {
      // Asked again, it is refused, and the record has it.
      this.leave();
      await this.#reach();
      throw error;
    }
  }

  /** Whether the allowlist is another one than when this server was last decided on. */
  get isOutdated(): boolean {
    return this.#reached?.generation !== this.#parts.generation();
  }

  /** Asks again whether it may be reached. @throws SublError as `send` does. */
  async decideAgain(): Promise<void> {
    await this.#reach();
  }

  /** Ends the connections that wait for another request. */
  leave(): void {
    if (this.#reached !== undefined) this.#parts.line.kept.drop(this.#reached.destination);
    this.#reached = undefined;
  }

  /**
   * Where on the same server a redirect leads, which changes neither method nor body; undefined for any other
   * answer.
   */
  #elsewhere({ status, headers }: StreamAnswer, method: string): Hop | undefined {
    const keeps =
      status === 307 || status === 308 || (method === 'GET' && (status === 301 || status === 302));
    if (!keeps) return undefined;
    const { origin } = this.#parts.upstream.destination;
    const [location = ''] = headers.get('location') ?? [];
    const base = this.#parts.upstreamUrl;
    const url = URL.canParse(location, base) ? new URL(location, base).href : '';
    const next = readEndpoint(url);
    if (next?.destination.origin === origin) return { url, target: next.target };
    throw new SublError('not_allowed', `\`${origin}\` redirects to another server, and that is not followed`);
  }

  async #reach(redirect?: string): Promise<CheckedDestination> {
    const { inner, shimId, serverName, upstream, upstreamUrl, generation, monotonic } = this.#parts;
    const known = this.#reached;
    const { bindings } = this.#parts.secrets;
    const isFresh =
      known?.generation === generation() && known.bindings === bindings && monotonic() - known.at < REACH_MS;
    if (isFresh && redirect === undefined) return known.destination;
    this.leave();
    const answer = await inner.request('http.reach', {
      shim_id: shimId,
      server_name: serverName,
      upstream: upstreamUrl,
      ...(redirect === undefined ? {} : { redirect }),
    });
    if (answer.status !== 'success') throw errorOf(answer);
    const { addresses, allow_private: allowPrivate, generation: under } = answer.data;
    const destination = { ...upstream.destination, addresses, allowPrivate };
    this.#reached = { destination, generation: under, bindings, at: monotonic() };
    return destination;
  }
}

function readEndpoint(url: string): Endpoint | undefined {
  try {
    return parseEndpoint(url);
  } catch (error) {
    if (error instanceof SublError) return undefined;
    throw error;
  }
}

function bodyOf(payload: Payload | undefined): StreamRequest['body'] {
  if (payload === undefined || Buffer.isBuffer(payload)) return payload;
  const chunks = function* (): Generator<Buffer> {
    for (let position = 0; position < payload.length;) {
      const chunk = payload.read(position, CHUNK_BYTES);
      position += chunk.length;
      yield chunk;
    }
  };
  return { open: () => Readable.from(chunks(), { objectMode: false }), length: payload.length };
}
