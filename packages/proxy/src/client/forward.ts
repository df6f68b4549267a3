import { hostInUrl } from '@subluminal/core-types';
import { AnswerFilter } from './answer-filter.js';
import { Carriage, type CarriageParts, type Traffic } from '../carry/carriage.js';
import { Denial } from '../denial.js';
import { denyHttp } from '../deny.js';
import { type Field, MalformedHead } from './head-reader.js';
import { encodeHead, endToEnd } from './hop-by-hop.js';
import { RequestBody } from './request-body.js';
import type { AbsoluteRequest } from './request-head.js';

/** A request, and where it leads. */
export interface Forwarded extends Pick<CarriageParts, 'client' | 'server'> {
  readonly request: AbsoluteRequest;
  /** As it was decided on: canonical. */
  readonly host: string;
  readonly maxHeadBytes: number;
}

/**
 * Makes a request in the client's place, and gives the answer back. `rest`: what was read of its body
 * already.
 */
export function forward(parts: CarriageParts & Forwarded, rest: Buffer | undefined): Carriage {
  const carriage: Carriage = new Carriage(
    parts,
    forwarding(parts, () => carriage),
  );
  try {
    carriage.send(headOf(parts));
  } catch (error) {
    const denial = Denial.of(error);
    carriage.refuse({ outcome: 'budget' }, denial, denyHttp(denial));
    return carriage;
  }
  carriage.startDown();
  carriage.startUp(rest);
  return carriage;
}

/** What flows behind the head of a request, which is to be sent first: its body, and its answer. */
export function forwarding(parts: Forwarded, carriage: () => Carriage): Required<Traffic> {
  const { request, maxHeadBytes, client, server } = parts;
  const body = new RequestBody(request.body);
  const answer = new AnswerFilter(request.method, request.upgrades, maxHeadBytes);
  const failed = (denial: Denial, last: Buffer | undefined): void =>
    carriage().refuse({ outcome: 'failed' }, denial, last);
  const onClientEnd = (): void => {
    if (answer.isUpgraded) server.end();
    else if (!body.isOver)
      carriage().finish({ outcome: 'closed', detail: 'the client left before its request was whole' });
  };
  return {
    up(chunk) {
      if (answer.isUpgraded) return chunk;
      // What stands behind the request was not decided on, and goes nowhere.
      return body.isOver
        ? undefined
        : chunk.subarray(
            0,
            reading('invalid_request', () => body.take(chunk)),
          );
    },
    down(chunk) {
      const passed = reading('adapter_failed', () => answer.push(chunk));
      // After this piece was handed on.
      if (answer.isOver) queueMicrotask(() => carriage().finish({ outcome: 'closed' }));
      return passed;
    },
    onClientEnd,
    onServerEnd() {
      if (answer.isUpgraded) client.end();
      else if (answer.isUnanswered) {
        const denial = new Denial('adapter_failed', `\`${authorityOf(parts)}\` ended without an answer`);
        failed(denial, denyHttp(denial));
      } else carriage().finish({ outcome: 'closed' });
    },
    onFault(error) {
      const denial = Denial.of(error);
      if (denial.code === 'budget_spent')
        carriage().cut({ outcome: 'budget', code: denial.code, detail: denial.message });
      else if (answer.isUnanswered) failed(denial, denyHttp(denial));
      else carriage().cut({ outcome: 'failed', code: denial.code, detail: denial.message });
    },
  };
}

/** What cannot be read is the client's fault, or the server's. */
function reading<T>(code: 'invalid_request' | 'adapter_failed', read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof MalformedHead)) throw error;
    const whose = code === 'invalid_request' ? 'the request' : 'the answer of the server';
    throw new Denial(code, `${whose} cannot be carried: ${error.message}`);
  }
}

/** The request as a server gets it: in origin form, with the host that was decided on, one a connection. */
export function headOf(parts: Pick<Forwarded, 'host' | 'request'>): Buffer {
  const { method, target, version, fields, upgrades } = parts.request;
  const passed = endToEnd(fields).filter(([name]) => name.toLowerCase() !== 'host');
  const connection: Field[] = upgrades
    ? [
        ['Connection', 'Upgrade'],
        ['Upgrade', 'websocket'],
      ]
    : [['Connection', 'close']];
  return encodeHead(`${method} ${target} HTTP/${version}`, [
    ['Host', authorityOf(parts)],
    ...passed,
    ...connection,
  ]);
}

function authorityOf({ host, request: { port } }: Pick<Forwarded, 'host' | 'request'>): string {
  return port === 80 ? hostInUrl(host) : `${hostInUrl(host)}:${port}`;
}
