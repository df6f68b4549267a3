import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** A mount that stands on a file which others may replace, and how it is made again. */
export interface Guard {
  readonly path: string;
  /**
   * The file itself, which cannot be written; the folder itself, which can; a file with that text; nothing,
   * which nobody can read.
   */
  readonly is: 'fixed' | 'written' | 'hidden' | { readonly text: string };
}

const PERL = '/usr/bin/perl';
const GUARD = fileURLToPath(new URL('./guard.pl', import.meta.url));
/** Everything in the world stands still meanwhile. */
const MOST_MS = 4000;
const MAX_SAID = 1_048_576;

/**
 * Makes mounts of a world again. `world` is the process that was spawned for it. Gives the paths where
 * nothing is any more; undefined if it cannot be done. Never rejects.
 */
export function mountAgain(world: number, guards: readonly Guard[]): Promise<readonly string[] | undefined> {
  // Folders before what stands in them.
  const inOrder = guards.toSorted((a, b) => a.path.length - b.path.length);
  const words = inOrder.flatMap(({ path, is }) => [kindOf(is), path, typeof is === 'object' ? is.text : '']);
  return new Promise((resolve) => {
    const child = spawn(PERL, [GUARD, String(world)], { stdio: ['pipe', 'pipe', 'ignore'], env: {} });
    const timer = setTimeout(() => child.kill('SIGKILL'), MOST_MS);
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (said.length < MAX_SAID) said += text;
    });
    child.once('error', () => undefined);
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve(code === 0 ? said.split('\0').slice(0, -1) : undefined);
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(words.map((word) => `${word}\0`).join(''));
  });
}

function kindOf(is: Guard['is']): string {
  if (typeof is === 'object') return 't';
  return { fixed: 'r', written: 'w', hidden: 'n' }[is];
}
