import type { Readable } from 'node:stream';

/** Bubblewrap says a few numbers. */
const MAX_WORDS = 4096;

/**
 * The world's first process, as the machine counts it, from what bubblewrap writes on its pipe; undefined
 * where it ended before. It is the one to which signals are sent.
 */
export function readInit(pipe: Readable): Promise<number | undefined> {
  return new Promise((resolve) => {
    let words = '';
    pipe.setEncoding('utf8');
    pipe.on('data', (text: string) => {
      if (words.length < MAX_WORDS) words += text;
      const pid = /"child-pid":\s*(\d+)/.exec(words)?.[1];
      if (pid !== undefined) resolve(Number(pid));
    });
    pipe.once('close', () => resolve(undefined));
    pipe.on('error', () => undefined);
  });
}
