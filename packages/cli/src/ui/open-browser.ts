import { spawn } from 'node:child_process';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSublError } from '@subluminal/core-types';
import type { HomePaths } from '@subluminal/ipc';
import { findProgram } from '../files/find-program.js';

const SCREENS = ['DISPLAY', 'WAYLAND_DISPLAY'] as const;

/**
 * Opens an address in the browser of this desktop. Every process of the machine can read the arguments of
 * another, so the browser is given a file of this user alone that leads to it. Tells whether a browser was
 * asked; what it does with it is not seen.
 */
export function openBrowser(home: HomePaths, address: string, env: Readonly<NodeJS.ProcessEnv>): boolean {
  const program = openerIn(env);
  if (program === undefined) return false;
  const file = leadingFile(home);
  rmSync(file, { force: true });
  writeFileSync(file, pageTo(address), { mode: 0o600, flag: 'wx' });
  chmodSync(file, 0o600);
  const child = spawn(program, [file], { env: { ...env }, stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
  return true;
}

/** Removes the file that led a browser to the page. */
export function forgetAddress(home: HomePaths): void {
  rmSync(leadingFile(home), { force: true });
}

function leadingFile({ runDir }: HomePaths): string {
  return join(runDir, 'page.html');
}

/** Undefined where there is no desktop. */
function openerIn(env: Readonly<NodeJS.ProcessEnv>): string | undefined {
  const isMac = process.platform === 'darwin';
  if (!isMac && !SCREENS.some((name) => (env[name] ?? '') !== '')) return undefined;
  try {
    return findProgram(isMac ? 'open' : 'xdg-open', env['PATH'] ?? '');
  } catch (error) {
    if (isSublError(error)) return undefined;
    throw error;
  }
}

/** The address is of digits, letters and a few signs: nothing of it ends the attribute. */
function pageTo(address: string): string {
  return `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${address}">\n`;
}
