import { Carriage, type CarriageParts, type Traffic } from './carriage.js';
import { Denial } from '../denial.js';
import { denyHttp, TLS_ALERT } from '../deny.js';
import { type Decided, FirstBytes } from '../judge/first-bytes.js';
import { forwarding, headOf } from '../client/forward.js';
import { HeadReader, MalformedHead } from '../client/head-reader.js';
import { RequestBody } from '../client/request-body.js';
import { type AbsoluteRequest, parseTunnelledHead } from '../client/request-head.js';

export interface TunnelParts extends CarriageParts {
  readonly decided: Decided;
  /** How long the client may take to say what the connection is for. */
  readonly firstMs: number;
  readonly maxHeadBytes: number;
  /** Judges a request that came without TLS, besides its host. Throws `Denial`. */
  readonly judge: (request: AbsoluteRequest) => void;
}

/**
 * A connection that is carried as it is, once what the client says first was held against what was decided.
 */
export interface Tunnel {
  readonly carriage: Carriage;
  readonly first: FirstBytes;
}

/**
 * Opens it. What comes without TLS is one request, which is made in the client's place as if it had asked for
 * that. `rest`: what was read of the client already.
 */
export function openTunnel(parts: TunnelParts, rest: Buffer | undefined): Tunnel {
  const { decided, server, client, firstMs, maxHeadBytes, judge } = parts;
  const first = new FirstBytes(decided);
  const reader = new HeadReader(maxHeadBytes);
  let made: Required<Traffic> | undefined;
  const isJudged = (): boolean => first.isJudged || made !== undefined;
  const tooSlow = (): void => {
    const denial = new Denial('timed_out', 'the client did not say what the connection is for');
    carriage.refuse({ outcome: 'timed_out' }, denial, undefined);
  };
  let timer: NodeJS.Timeout | undefined;
  const watch = (): void => {
    if (isJudged()) {
      clearTimeout(timer);
      carriage.startDown();
    } else if (!decided.raw || first.isTls) timer ??= setTimeout(tooSlow, firstMs);
  };
  /** The head of a request that came without TLS, and what of its body came with it. */
  const make = (chunk: Buffer): Buffer | undefined => {
    const head = reader.push(chunk);
    if (head === undefined) return undefined;
    const request = parseTunnelledHead(head.lines, decided);
    if (new RequestBody(request.body).take(head.rest) < head.rest.length)
      throw new MalformedHead('another request stands behind it');
    judge(request);
    const forwarded = { client, server, request, host: decided.host, maxHeadBytes };
    made = forwarding(forwarded, () => carriage);
    return Buffer.concat([headOf(forwarded), made.up(head.rest) ?? Buffer.alloc(0)]);
  };
  const carriage: Carriage = new Carriage(parts, {
    up(chunk) {
      if (made !== undefined) return made.up(chunk);
      if (first.isOpen) return chunk;
      const passed = first.push(chunk);
      const all = first.isPlain ? make(chunk) : passed;
      watch();
      return all;
    },
    down: (chunk) => (made === undefined ? chunk : made.down(chunk)),
    onClientEnd() {
      if (made !== undefined) made.onClientEnd();
      else if (first.isJudged || (decided.raw && !first.isTls)) server.end();
      else carriage.finish({ outcome: 'closed', detail: 'the client left before it said what it is for' });
    },
    onServerEnd: () => (made === undefined ? void client.end() : made.onServerEnd()),
    onFault(error) {
      if (made !== undefined) {
        made.onFault(error);
        return;
      }
      const denial = denialOf(error);
      if (denial.code === 'budget_spent')
        carriage.cut({ outcome: 'budget', code: denial.code, detail: denial.message });
      else carriage.refuse({ outcome: 'refused' }, denial, first.isTls ? TLS_ALERT : denyHttp(denial));
    },
  });
  void carriage.over.then(() => clearTimeout(timer));
  if (decided.raw) carriage.startDown();
  watch();
  carriage.startUp(rest);
  return { carriage, first };
}

function denialOf(error: unknown): Denial {
  return error instanceof MalformedHead
    ? new Denial('invalid_request', `the request cannot be carried: ${error.message}`)
    : Denial.of(error);
}
