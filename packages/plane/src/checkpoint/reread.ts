import type { Mechanism } from './mechanism.js';

const CONTEXT =
  /^(?:claude|agents|gemini|readme|contributing|architecture|plan|spec|todo)\b.*\.(?:md|txt|rst)$/i;

/** A text that says what the work is about was read again. */
export const reread: Mechanism = {
  name: 'reread',
  evidence: ({ status, target, tool }) => {
    if (tool !== 'Read' || status === 'failed' || target === undefined) return undefined;
    const name = target.slice(target.lastIndexOf('/') + 1, target.lastIndexOf('/') + 129);
    return CONTEXT.test(name) ? { file: name } : undefined;
  },
};
