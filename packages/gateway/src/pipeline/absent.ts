import { SublError } from '@subluminal/core-types';
import type { ActionHandler } from './handlers.js';
import { refuse } from './reply.js';

const MESSAGE = 'this version does not carry out that action';

/** An action that is named and not carried out: refused before anything is recorded as pending. */
export const absent: ActionHandler = {
  entries: () => refuse('not_available', MESSAGE),
  execute: () => {
    throw new SublError('not_available', MESSAGE);
  },
};
