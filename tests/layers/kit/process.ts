import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Mounted } from './mounted.js';

const COMMIT = fileURLToPath(new URL('commit.mjs', import.meta.url));
/** An account that every machine has, and nothing belongs to. */
const NOBODY = 65_534;

/** Words before a command that have a plain user run it. */
export const AS_NOBODY: readonly string[] = [
  'setpriv',
  `--reuid=${NOBODY}`,
  `--regid=${NOBODY}`,
  '--clear-groups',
];

/** The end of a commit. */
export interface End {
  readonly recovered: boolean;
  readonly left: readonly string[];
  readonly isFull: boolean;
  readonly done: number;
}

/** Makes folders that user's, with all that is in them. */
export function giveToNobody(...folders: readonly string[]): void {
  execFileSync('chown', ['-Rh', `${NOBODY}:${NOBODY}`, ...folders]);
}

/** Starts a commit in a process of its own; its first line is said before the first step. */
export function started(one: Mounted, before: readonly string[] = []): ChildProcess {
  const words = [...before, process.execPath, COMMIT, join(one.root, 'layers'), one.about.place.id];
  return spawn('/usr/bin/env', words, { stdio: ['ignore', 'pipe', 'pipe'] });
}

/** The end of such a commit. Rejects with what it said if it came to none. */
export function ended(one: Mounted, before: readonly string[] = []): Promise<End> {
  return new Promise((resolve, reject) => {
    const child = started(one, before);
    let [said, words] = ['', ''];
    child.stdout?.on('data', (text: Buffer) => {
      said += text.toString();
    });
    child.stderr?.on('data', (text: Buffer) => {
      words += text.toString();
    });
    child.once('close', () => {
      const line = said.split('\n')[1];
      if (line === undefined || line === '') reject(new Error(`the commit ended: ${said}${words}`));
      else resolve(JSON.parse(line) as End);
    });
  });
}
