import type { IncomingMessage } from 'node:http';
import { type Field, membersOf, valuesOf } from '../client/head-reader.js';
import { endToEnd } from '../client/hop-by-hop.js';
import { concealedText, type Sought } from './conceal.js';
import { fieldsOf } from './judge-request.js';
import { RefusedExchange } from './refused-exchange.js';

/** The head of an answer as the client gets it. */
export interface MadeAnswer {
  readonly status: number;
  readonly reason: string;
  readonly fields: readonly Field[];
  /** The server says nothing more on this connection. */
  readonly isLast: boolean;
}

/** Made anew, or leading a client around what was decided. */
const OWN: ReadonlySet<string> = new Set(['transfer-encoding', 'alt-svc', 'alternate-protocol']);

/**
 * Makes the head of an answer anew, with placeholders where secrets stood. Throws `RefusedExchange`
 * `protocol_refused` for one whose body cannot be read on the way, so that a secret in it would pass.
 */
export function judgeAnswer(message: IncomingMessage, concealed: Sought): MadeAnswer {
  const fields = fieldsOf(message.rawHeaders);
  const isCoded =
    membersOf(fields, 'content-encoding').some((coding) => coding !== 'identity') ||
    membersOf(fields, 'transfer-encoding').some((coding) => coding !== 'chunked');
  if (isCoded)
    throw new RefusedExchange(
      502,
      'protocol_refused',
      'the server has compressed its answer, although it was asked not to: a secret in it could not be seen',
    );
  const hidden = (text: string): string => concealedText(text, concealed);
  return {
    status: message.statusCode ?? 502,
    reason: hidden(message.statusMessage ?? ''),
    fields: endToEnd(fields)
      .filter(([name]) => !OWN.has(name.toLowerCase()))
      .map(([name, value]): Field => [hidden(name), hidden(value)]),
    isLast: message.httpVersion !== '1.1' || membersOf(fields, 'connection').includes('close'),
  };
}

/** Tells whether a server goes on with WebSocket, as it was asked to. */
export function isWebSocket(message: IncomingMessage): boolean {
  const [upgrade, ...more] = valuesOf(fieldsOf(message.rawHeaders), 'upgrade');
  return upgrade?.toLowerCase() === 'websocket' && more.length === 0;
}
