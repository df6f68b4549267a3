import { realpathSync } from 'node:fs';
import { isSublError } from '@subluminal/core-types';
import { hasCode, type ProxyTold } from '@subluminal/ipc';
import { findProgram } from '../files/find-program.js';

/** The Node that runs `sub`: its program, and its version. */
export interface OwnNode {
  readonly execPath: string;
  readonly version: string;
}

/**
 * Names the clients of this Node that connect around the proxy of its environment. Undefined where no
 * built-in client does.
 */
export function nodeAround(version: string): string | undefined {
  const [, major = '0', minor = '0'] = /^v([0-9]{1,6})\.([0-9]{1,6})\./.exec(version) ?? [];
  const [line, release] = [Number(major), Number(minor)];
  if (line > 24 || (line === 24 && release >= 5) || (line === 22 && release >= 21)) return undefined;
  return line === 24 ? '`http` and `https`' : '`fetch`, `http` and `https`';
}

/**
 * The one line that says which part of a run's command the proxy does not confine. Undefined where nothing is
 * known of it.
 */
export function unconfinedLine(
  command: string,
  path: string,
  node: OwnNode,
  told: ProxyTold | undefined,
): string | undefined {
  if (told === undefined) return undefined;
  const around = isNode(command, path, node.execPath) ? nodeAround(node.version) : undefined;
  if (around !== undefined) {
    const fate = told.mode === 'enforce' ? 'neither refused nor recorded' : 'not recorded';
    return `${around} of Node ${node.version.slice(1)} heed no proxy: what they connect to is ${fate} (22.21 and 24.5 heed it)`;
  }
  return told.mode === 'enforce'
    ? 'the allowlist binds programs that heed the proxy; one that opens its own connections is not confined'
    : undefined;
}

/**
 * Tells whether the command is this very Node. The version of another Node is not known without starting it,
 * and a client in it may well heed the proxy by itself.
 */
function isNode(command: string, path: string, execPath: string): boolean {
  try {
    return (
      realpathSync(command.includes('/') ? command : findProgram(command, path)) === realpathSync(execPath)
    );
  } catch (error) {
    // It is not there, or not to be read, as its start will tell.
    if (isSublError(error) || hasCode(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP')) return false;
    throw error;
  }
}
