import { MAX_SECRET_BYTES, secretProblem, SublError } from '@subluminal/core-types';
import type { Call } from '../program/call.js';

const [INTERRUPT, END, BACKSPACE, LINE_FEED, RETURN, CLEAR, DELETE] = [3, 4, 8, 10, 13, 21, 127];

/**
 * A secret from whoever types it, unseen, or from standard input: never from the command line, which every
 * process can read and shells remember. Throws `usage` for what cannot be a secret.
 */
export async function readSecretValue(call: Call, what: string): Promise<string> {
  const stdin = process.stdin;
  if (stdin.isTTY && call.output.json) {
    throw new SublError('usage', '`--json` cannot ask', { help: 'give the value on standard input' });
  }
  const value = stdin.isTTY
    ? await typed(call, stdin, `${what} (not shown): `)
    : (await piped(stdin)).replace(/\r?\n$/, '');
  const problem = secretProblem(value, { redact: false });
  if (problem === undefined) return value;
  throw new SublError('usage', `this cannot be a secret: ${problem}`, {
    help: stdin.isTTY ? 'type it again' : 'give nothing but the value on standard input',
  });
}

async function piped(stdin: NodeJS.ReadStream): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of stdin) {
    const bytes = Buffer.from(piece as Uint8Array);
    length += bytes.length;
    // One more than can be right is enough to say that it is too long.
    if (length > MAX_SECRET_BYTES + 2) break;
    pieces.push(bytes);
  }
  if (length > MAX_SECRET_BYTES + 2)
    throw new SublError('usage', `this cannot be a secret: it has more than ${MAX_SECRET_BYTES} bytes`);
  return decoded(Buffer.concat(pieces));
}

/** Reads one line from a terminal that shows none of it. */
async function typed(call: Call, stdin: NodeJS.ReadStream, question: string): Promise<string> {
  // Before the question: a terminal shows what is typed until then.
  stdin.setRawMode(true);
  call.output.question(question);
  const bytes = await new Promise<Buffer>((resolve, reject) => {
    let line: number[] = [];
    const finish = (result: () => void): void => {
      stdin.off('data', onData).off('end', onEnd);
      stdin.setRawMode(false);
      stdin.pause();
      call.output.rawError('\n');
      result();
    };
    const onEnd = (): void => finish(() => reject(new SublError('failed', 'nothing was typed')));
    const onData = (piece: Buffer): void => {
      for (const byte of piece) {
        if (byte === INTERRUPT || byte === END) {
          onEnd();
          return;
        }
        if (byte === LINE_FEED || byte === RETURN) {
          finish(() => resolve(Buffer.from(line)));
          return;
        }
        if (byte === CLEAR) line = [];
        else if (byte === BACKSPACE || byte === DELETE) dropCharacter(line);
        else if (line.length <= MAX_SECRET_BYTES) line.push(byte);
      }
    };
    stdin.on('data', onData).once('end', onEnd);
    stdin.resume();
  });
  return decoded(bytes);
}

/** Takes the last character off, with all of its bytes. */
function dropCharacter(line: number[]): void {
  let byte = line.pop();
  while (byte !== undefined && (byte & 0xc0) === 0x80) byte = line.pop();
}

function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new SublError('usage', 'this cannot be a secret: it is not utf-8', { cause });
  }
}
