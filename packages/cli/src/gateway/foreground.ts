import { isSublError, SublError } from '@subluminal/core-types';
import { GATEWAY_NODE_OPTIONS } from '@subluminal/shim';
import { createHome } from '../home/create.js';
import type { Call } from '../program/call.js';
import { runChild } from '../run/child.js';
import { exitCodeOfChild } from '../run/outcome.js';
import { withGateway } from './door.js';

/**
 * Runs the gateway as a child until it ends, with its log on our stderr; its exit code is ours.
 * `already_running` when one serves this home.
 */
export async function runForeground(call: Call): Promise<number> {
  createHome(call);
  if (await isUp(call)) {
    throw new SublError('already_running', 'a gateway already serves this home', {
      help: '`sub status` shows it, `sub down` stops it',
    });
  }
  const end = await runChild({
    command: process.execPath,
    args: [...GATEWAY_NODE_OPTIONS, call.session.gatewayProgram, '--home', call.home.home, '--foreground'],
    env: call.session.environment.forGateway,
    onTerminal: process.stdin.isTTY,
  });
  return exitCodeOfChild(end);
}

async function isUp(call: Call): Promise<boolean> {
  try {
    await withGateway(call.home, 'operator', call.session.now, () => Promise.resolve());
    return true;
  } catch (error) {
    // Only the gateway itself can tell for sure: it takes the lock or refuses to start.
    if (isSublError(error, 'gateway_unreachable', 'key_missing', 'handshake_refused')) return false;
    throw error;
  }
}
