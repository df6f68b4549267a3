import { type Field, membersOf } from './head-reader.js';

/** Fields that concern one connection only (RFC 9110 §7.6.1), and those between a client and its proxy. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
  'http2-settings',
]);

/**
 * Fields that are the message's own, whatever `Connection` says of them: without them it would mean something
 * else.
 */
const KEPT: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'authorization',
  'cookie',
]);

/** What is passed on of a head: nothing that is between two neighbours, nothing that `Connection` names. */
export function endToEnd(fields: readonly Field[]): Field[] {
  const named = new Set(membersOf(fields, 'connection').filter((name) => !KEPT.has(name)));
  return fields.filter(([name]) => {
    const lower = name.toLowerCase();
    return !HOP_BY_HOP.has(lower) && !lower.startsWith('proxy-') && !named.has(lower);
  });
}

/**
 * Whether a request asks to go on with WebSocket, and nothing but that: behind another protocol (h2c)
 * requests to other hosts would follow unseen.
 */
export function wantsWebSocket(fields: readonly Field[]): boolean {
  const [upgrade, ...more] = membersOf(fields, 'upgrade');
  return upgrade === 'websocket' && more.length === 0 && membersOf(fields, 'connection').includes('upgrade');
}

/** A head as bytes. Its parts were read by `HeadReader`, so that none of them holds an end of a line. */
export function encodeHead(firstLine: string, fields: readonly Field[]): Buffer {
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${firstLine}\r\n${lines.join('')}\r\n`, 'latin1');
}
