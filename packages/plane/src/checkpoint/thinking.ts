import type { Mechanism } from './mechanism.js';

const NAMES: ReadonlySet<string> = new Set(['sequentialthinking', 'think', 'sequential_thinking']);

/** A tool that does nothing but think was called. */
export const thinking: Mechanism = {
  name: 'thinking',
  evidence: ({ status, tool }) => {
    if (status === 'failed') return undefined;
    const name = tool.slice(tool.lastIndexOf('__') + (tool.includes('__') ? 2 : 1)).toLowerCase();
    return NAMES.has(name) ? { tool: name } : undefined;
  },
};
