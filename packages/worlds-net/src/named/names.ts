import type { Socket } from 'node:net';
import type { Arrivals } from '../doors.js';

/** The length before each message (RFC 1035 §4.2.2). */
const LENGTH = 2;
const MAX_QUESTION = 4096;
/** Without a question for so long the program has no more. */
const IDLE_MS = 30_000;

/**
 * Answers questions about names on a connection, one after the other, whichever name server the program
 * meant: nothing is asked outside.
 */
export function answerOverTcp(client: Socket, { asked, malformed }: Arrivals): void {
  let read = Buffer.alloc(0);
  let isAsking = false;
  const next = async (): Promise<void> => {
    if (isAsking) return;
    isAsking = true;
    while (read.length >= LENGTH && !client.destroyed) {
      const length = read.readUInt16BE(0);
      if (length === 0 || length > MAX_QUESTION) {
        malformed();
        client.destroy();
        return;
      }
      if (read.length < LENGTH + length) break;
      const question = read.subarray(LENGTH, LENGTH + length);
      read = read.subarray(LENGTH + length);
      client.pause();
      const answer = await asked(question);
      client.resume();
      if (answer === undefined) {
        client.destroy();
        return;
      }
      const head = Buffer.alloc(LENGTH);
      head.writeUInt16BE(answer.length);
      if (client.writable) client.write(Buffer.concat([head, answer]));
    }
    isAsking = false;
  };
  client.setTimeout(IDLE_MS, () => client.destroy());
  client.on('end', () => client.end());
  client.on('data', (chunk: Buffer) => {
    read = Buffer.concat([read, chunk]);
    void next();
  });
  client.resume();
}
