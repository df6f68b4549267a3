import { sha256Hex, SublError } from '@subluminal/core-types';
import { escapeText } from '../../output/escape.js';
import type { Fresh, Placed } from './place.js';
import { runProgram } from './program.js';

const TIMEOUT_MS = 60_000;
const SILENT =
  'it said nothing; it gets the checkpoint on its standard input, and has to end with 0 once that is kept';

/**
 * Gives a checkpoint to a command, on its standard input; exit status 0 means that it is kept. Throws
 * `failed`, `timed_out`.
 */
export async function anchorByCommand(
  argv: readonly string[],
  fresh: Fresh,
  cwd: string,
  env: Readonly<NodeJS.ProcessEnv>,
): Promise<Placed> {
  const [command = '', ...args] = argv;
  const { code, stdout, stderr } = await runProgram({
    command,
    args,
    cwd,
    env,
    input: fresh.note,
    timeoutMs: TIMEOUT_MS,
  });
  if (code !== 0) {
    throw new SublError(
      'failed',
      `\`${command}\` did not take the checkpoint: it ended with ${code ?? 'a signal'}`,
      { help: stderr === '' ? SILENT : `it said: ${escapeText(stderr)}` },
    );
  }
  const target = [command, ...args]
    .join(' ')
    .replaceAll(/\p{Cc}/gu, ' ')
    .slice(0, 1024);
  return { kind: 'cmd', target, evidence: { output_sha256: sha256Hex(stdout) } };
}
