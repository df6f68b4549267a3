import { commandOf } from '../work/command.js';
import { isShell } from '../work/kind.js';
import type { Mechanism } from './mechanism.js';

const REVIEWS: ReadonlySet<string> = new Set(['diff', 'show', 'status']);

/** The changes so far were looked at. */
export const drift: Mechanism = {
  name: 'drift',
  evidence: ({ status, target, tool }) => {
    if (!isShell(tool) || status === 'failed' || target === undefined) return undefined;
    const command = commandOf(target);
    return command?.program === 'git' && REVIEWS.has(command.verb)
      ? { command: `git ${command.verb}` }
      : undefined;
  },
};
