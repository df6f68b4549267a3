import type { ActionTable } from '@subluminal/gateway';
import { toolsApprove } from './tools-approve.js';
import { toolsDiff } from './tools-diff.js';
import { toolsForget } from './tools-forget.js';
import { toolsList } from './tools-list.js';
import { type ListedParts, toolsListed } from './tools-listed.js';

/** The actions of this wing. */
export type ToolsActions = Pick<
  ActionTable,
  'tools.listed' | 'tools.approve' | 'tools.forget' | 'tools.list' | 'tools.diff'
>;

export function toolsActions(parts: ListedParts): ToolsActions {
  const { book, loopTurns, modes, turns } = parts;
  return {
    'tools.listed': toolsListed(parts),
    'tools.approve': toolsApprove(parts),
    'tools.forget': toolsForget(book, turns),
    'tools.list': toolsList(book, modes),
    'tools.diff': toolsDiff(book, loopTurns),
  };
}
