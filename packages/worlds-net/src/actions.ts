import type { ActionTable } from '@subluminal/gateway';
import { worldClose } from './life/close.js';
import { type OpeningParts, worldOpen } from './life/open.js';
import { worldResume } from './life/resume.js';

/** The actions of this wing. */
export type WorldActions = Pick<ActionTable, 'world.open' | 'world.resume' | 'world.close'>;

export function worldActions(parts: OpeningParts): WorldActions {
  return {
    'world.open': worldOpen(parts),
    'world.resume': worldResume(parts),
    'world.close': worldClose(parts.worlds),
  };
}
