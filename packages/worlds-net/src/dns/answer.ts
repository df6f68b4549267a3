import type { Question } from './question.js';

/** The answers of RFC 1035 §4.1.1 that a world gets. */
export const RCODE = { ok: 0, failed: 2, unknown: 3, refused: 5 } as const;

/** The type of an address of IPv4. */
export const TYPE_A = 1;

/** A name keeps its address as long as the world lives, but an answer that is kept cannot be taken back. */
const TTL_S = 1;
/** Answer, recursion available. */
const FLAGS = 0x8080;
const RECURSION_DESIRED = 0x0100;

/** The answer to a question: a code, and the address where there is one. */
export function encodeAnswer({ head }: Question, code: number, address?: string): Buffer {
  const answer = Buffer.from(head);
  answer.writeUInt16BE(FLAGS | (head.readUInt16BE(2) & RECURSION_DESIRED) | code, 2);
  answer.writeUInt16BE(address === undefined ? 0 : 1, 6);
  // No authorities, and nothing additional, whatever the question had there.
  answer.writeUInt32BE(0, 8);
  if (address === undefined) return answer;
  const record = Buffer.alloc(16);
  // The name of the question, by a pointer to it.
  record.writeUInt16BE(0xc00c, 0);
  record.writeUInt16BE(TYPE_A, 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt32BE(TTL_S, 6);
  record.writeUInt16BE(4, 10);
  record.set(address.split('.').map(Number), 12);
  return Buffer.concat([answer, record]);
}
