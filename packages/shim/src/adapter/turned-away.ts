import type { Readable, Writable } from 'node:stream';
import type { SublError } from '@subluminal/core-types';
import { errorAnswer, INTERNAL_ERROR, Judge } from '@subluminal/mcp';

const MAX_LINE_BYTES = 65_536;
const LINE_FEED = 0x0a;

/** The client whose session cannot begin. */
export interface WaitingClient {
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** How long its first request is waited for. */
  readonly timeoutMs: number;
}

/**
 * Answers the client's first request with an error, so that the person in front of it reads why there is no
 * server. Resolves when that is written, or when no request came: input ended, was too long, or time is up.
 */
export async function turnAway(client: WaitingClient, reason: SublError): Promise<void> {
  const line = await firstLine(client);
  const message = line === undefined ? undefined : new Judge().judge(line);
  if (message?.type !== 'request') return;
  const help = reason.help === undefined ? '' : `; ${reason.help}`;
  const answer = errorAnswer(message.id, {
    code: INTERNAL_ERROR,
    message: `subluminal: ${reason.message}${help}`,
    data: { code: reason.code },
  });
  await new Promise<void>((resolve) => {
    client.stdout.write(answer, () => resolve());
  });
}

function firstLine({ stdin, timeoutMs }: WaitingClient): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    let read = Buffer.alloc(0);
    const finish = (line: Buffer | undefined): void => {
      clearTimeout(timer);
      stdin.off('data', onData).off('end', onEnd).off('error', onEnd);
      stdin.pause();
      resolve(line);
    };
    const onEnd = (): void => finish(undefined);
    const onData = (chunk: Buffer): void => {
      read = Buffer.concat([read, chunk]);
      const end = read.indexOf(LINE_FEED);
      if (end >= 0) finish(read.subarray(0, end));
      else if (read.length > MAX_LINE_BYTES) finish(undefined);
    };
    const timer = setTimeout(onEnd, timeoutMs);
    stdin.on('data', onData).once('end', onEnd).once('error', onEnd);
  });
}
