import { spawn } from 'node:child_process';
import { SublError } from '@subluminal/core-types';
import { whyOf } from '../../output/system-error.js';

/** A program to run beside us: what it is given, and how long it may take. */
export interface ProgramOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<NodeJS.ProcessEnv>;
  readonly input: string | Uint8Array;
  readonly timeoutMs: number;
}

/** How it ended. Output beyond a limit ends it, so that all of it is here. */
export interface ProgramEnd {
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

const MAX_OUTPUT = 64 << 20;
const MAX_STDERR = 4096;

/**
 * Runs a program to its end, without a shell.
 *
 * @throws SublError `failed` where it cannot be started, `timed_out`, `response_too_large`.
 */
export function runProgram(options: ProgramOptions): Promise<ProgramEnd> {
  const { command, args, cwd, env, input, timeoutMs } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
    const chunks: Buffer[] = [];
    let size = 0;
    let stderr = '';
    let failure: SublError | undefined;
    const end = (error: SublError): void => {
      failure ??= error;
      child.kill('SIGKILL');
      // A grandchild may hold our end of the pipes open for ever.
      child.stdout.destroy();
      child.stderr.destroy();
    };
    const timer = setTimeout(
      () => end(new SublError('timed_out', `\`${command}\` did not end within ${timeoutMs} ms`)),
      timeoutMs,
    );
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_OUTPUT) end(new SublError('response_too_large', `\`${command}\` prints too much`));
      else chunks.push(chunk);
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      stderr = (stderr + chunk).slice(0, MAX_STDERR);
    });
    // A program may end without reading what it is given; its exit status says what that means.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    child.once('error', (cause) => {
      clearTimeout(timer);
      reject(new SublError('failed', `\`${command}\` cannot be started: ${whyOf(cause)}`, { cause }));
    });
    child.once('close', (code) => {
      clearTimeout(timer);
      if (failure === undefined) resolve({ code, stdout: Buffer.concat(chunks), stderr: stderr.trim() });
      else reject(failure);
    });
  });
}
