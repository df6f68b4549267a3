import { bodyLengthOf, type Field, MalformedHead, parseFields, valuesOf } from './head-reader.js';
import { encodeHead, endToEnd } from './hop-by-hop.js';

/** The head of a server's answer. */
export interface AnswerHead {
  readonly status: number;
  /** The head as it goes to the client. */
  readonly bytes: Buffer;
  /** Another head follows this one. */
  readonly isInterim: boolean;
  /** From here on both sides say what they want. */
  readonly isUpgraded: boolean;
  /**
   * How many bytes of a body follow; undefined where the end of the connection tells it, or the client can.
   */
  readonly bodyBytes: number | undefined;
}

const STATUS_LINE = /^HTTP\/1\.[01] ([1-9][0-9]{2})(?: ([\t\x20-\x7e\x80-\xff]*))?$/;
/** Fields that lead a client elsewhere by themselves: where it goes is decided anew, by name. */
const DROPPED: ReadonlySet<string> = new Set(['alt-svc', 'alternate-protocol']);

/**
 * Reads the lines of an answer and makes the head that the client gets: one answer a connection, without what
 * leads around the proxy. Throws `MalformedHead`.
 */
export function parseAnswerHead(lines: readonly string[], method: string, upgrades: boolean): AnswerHead {
  const [, code, reason = ''] = STATUS_LINE.exec(lines[0] ?? '') ?? [];
  if (code === undefined) throw new MalformedHead('the first line is no answer of HTTP/1.1');
  const status = Number(code);
  const fields = parseFields(lines.slice(1));
  const isUpgraded = status === 101;
  if (isUpgraded && !(upgrades && isWebSocket(fields)))
    throw new MalformedHead('the server goes on with a protocol that was not asked for');
  const hasNoBody = status < 200 || status === 204 || status === 304 || method === 'HEAD';
  const length = hasNoBody ? 0 : bodyLengthOf(fields);
  const passed = endToEnd(fields).filter(([name]) => !DROPPED.has(name.toLowerCase()));
  const connection: Field[] = isUpgraded
    ? [
        ['Connection', 'Upgrade'],
        ['Upgrade', 'websocket'],
      ]
    : [['Connection', 'close']];
  const isInterim = status < 200 && !isUpgraded;
  return {
    status,
    bytes: encodeHead(`HTTP/1.1 ${status} ${reason}`, isInterim ? passed : [...passed, ...connection]),
    isInterim,
    isUpgraded,
    bodyBytes: typeof length === 'number' ? length : undefined,
  };
}

function isWebSocket(fields: readonly Field[]): boolean {
  const [upgrade, ...more] = valuesOf(fields, 'upgrade');
  return upgrade?.toLowerCase() === 'websocket' && more.length === 0;
}
