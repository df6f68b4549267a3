import { fileURLToPath } from 'node:url';
import type { SessionLimits } from '@subluminal/mcp';
import { openRawSession, type RawSession } from '../harness/raw-session.js';
import { GATEWAY } from '../support/gateway-home.js';
import { programOf } from '../support/programs.js';

export const SCRIPTED = fileURLToPath(new URL('fixtures/scripted-server.mjs', import.meta.url));
const SHIM = programOf('shim-main');

export interface StartOptions {
  readonly home: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly limits?: Partial<SessionLimits>;
  readonly autostart?: boolean;
  readonly command?: readonly string[];
}

/** The command line of a shim around the scripted server. */
export function shimArgv(options: StartOptions): string[] {
  const { home, limits } = options;
  const command = options.command ?? [process.execPath, SCRIPTED];
  const gatewayEntry = options.autostart === false ? undefined : GATEWAY;
  return [
    process.execPath,
    SHIM,
    JSON.stringify({ home, server: 'scripted', command, gatewayEntry, limits, pass: ['*'] }),
  ];
}

/** A session with the scripted server through a shim. */
export function startShim(options: StartOptions): Promise<RawSession> {
  return openRawSession(shimArgv(options), { ...process.env, ...options.env });
}
