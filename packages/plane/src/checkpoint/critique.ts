import type { Mechanism } from './mechanism.js';

const DELEGATES: ReadonlySet<string> = new Set(['Agent', 'Skill', 'Task']);
const REVIEWERS = /(?:^|[^a-z])(?:review|reviewer|critic|critique)(?:$|[^a-z])/i;

/** A subagent or a skill reviewed the work. */
export const critique: Mechanism = {
  name: 'critique',
  evidence: ({ status, target, tool }) => {
    if (!DELEGATES.has(tool) || status === 'failed') return undefined;
    return REVIEWERS.test((target ?? '').slice(0, 128)) ? { by: tool } : undefined;
  },
};
