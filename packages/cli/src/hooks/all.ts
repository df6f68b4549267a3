import { SublError } from '@subluminal/core-types';
import type { Call } from '../program/call.js';
import { claudeHooks } from './claude/claude.js';
import { codexHooks } from './codex/codex.js';
import type { HookClient } from './hook-client.js';

/** Every client whose hooks can be installed. */
export const HOOK_CLIENTS: readonly HookClient[] = [claudeHooks, codexHooks];

/** The operand of the verbs on hooks. */
export const HOOK_CLIENT_NAMES = [...HOOK_CLIENTS.map(({ name }) => name), 'all'].join('|');

/** The clients that the first operand names; without it all of them. Throws `usage`. */
export function namedHookClients({ args: [named = 'all'] }: Pick<Call, 'args'>): readonly HookClient[] {
  if (named === 'all') return HOOK_CLIENTS;
  const client = HOOK_CLIENTS.find(({ name }) => name === named);
  if (client !== undefined) return [client];
  throw new SublError('usage', `\`${named}\` is no client whose hooks are known`, {
    help: `one of ${HOOK_CLIENT_NAMES.split('|')
      .map((name) => `\`${name}\``)
      .join(', ')}`,
  });
}
