import { spawn } from 'node:child_process';
import type { Launch } from '../enter/launch.js';

const TRIED_MS = 10_000;
const MAX_WORDS = 2000;

/**
 * Starts a program that does nothing, as a real one would be started. Undefined if it ran; else why not, in
 * one line of printable characters.
 */
export function tryLaunch({ command, args, env, files = [], release }: Launch): Promise<string | undefined> {
  return new Promise((resolve) => {
    let words = '';
    const child = spawn(command, args, { env, stdio: ['ignore', 'ignore', 'pipe', ...files, 'pipe'] });
    release();
    const timer = setTimeout(() => child.kill('SIGKILL'), TRIED_MS);
    const failed = (why: string): void => {
      clearTimeout(timer);
      const line = why.trim().split('\n')[0] ?? '';
      resolve(line.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 300) || 'it did not start');
    };
    for (const pipe of child.stdio.slice(3)) pipe?.on('error', () => undefined);
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      if (words.length < MAX_WORDS) words += text;
    });
    child.once('error', (error) => failed(error.message));
    child.once('close', (code) => {
      if (code !== 0) return failed(words);
      clearTimeout(timer);
      resolve(undefined);
    });
  });
}
