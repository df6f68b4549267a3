import type { Happened } from '../told.js';

/** An event that is not about a call of a tool: the members that are kept, and the calls that it ends. */
interface EventKind {
  readonly facts: readonly string[];
  readonly closes: Happened['closes'];
}

const kind = (facts: readonly string[], closes: Happened['closes'] = 'nothing'): EventKind => ({
  facts,
  closes,
});

/**
 * The events of Claude Code that are recorded besides those of tools. Those whose hook changes what the
 * client does (WorktreeCreate, Elicitation), that come for every piece of text (MessageDisplay) or that
 * follow the agent's own words (TaskCreated, TaskCompleted) are not asked for. Source: the schemas in the
 * program, 2.1.330.
 */
export const CLAUDE_EVENTS: ReadonlyMap<string, EventKind> = new Map([
  ['SessionStart', kind(['source', 'model', 'permission_mode', 'agent_type'])],
  ['SessionEnd', kind(['reason'], 'session')],
  ['UserPromptSubmit', kind(['source', 'permission_mode'])],
  ['Stop', kind(['stop_hook_active'], 'turn')],
  ['StopFailure', kind(['error'], 'turn')],
  ['SubagentStart', kind([])],
  ['SubagentStop', kind(['stop_hook_active'], 'turn')],
  ['PermissionDenied', kind(['tool_name', 'reason'], 'call')],
  ['PreCompact', kind(['trigger'])],
  ['PostCompact', kind(['trigger'])],
  ['PostModelSwitch', kind(['from', 'to', 'reason'])],
  ['ConfigChange', kind(['source', 'file_path'])],
  ['CwdChanged', kind(['old_cwd', 'new_cwd'])],
  ['InstructionsLoaded', kind(['file_path', 'memory_type', 'load_reason'])],
  ['DirectoryAdded', kind(['directory', 'source'])],
  ['WorktreeRemove', kind(['worktree_path'])],
]);
