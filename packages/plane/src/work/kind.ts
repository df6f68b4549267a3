import type { Action } from '../event.js';
import { commandOf } from './command.js';
import { kindOfCommand } from './programs.js';
import type { WorkKind } from './work-kinds.js';

/** Tools of clients, by what they do. */
const TOOLS: ReadonlyMap<string, WorkKind> = new Map<string, WorkKind>([
  ['Read', 'explore'],
  ['Grep', 'explore'],
  ['Glob', 'explore'],
  ['LS', 'explore'],
  ['NotebookRead', 'explore'],
  ['WebFetch', 'explore'],
  ['WebSearch', 'explore'],
  ['web_search', 'explore'],
  ['view_image', 'explore'],
  ['Edit', 'change'],
  ['MultiEdit', 'change'],
  ['Write', 'change'],
  ['NotebookEdit', 'change'],
  ['apply_patch', 'change'],
]);

const SHELLS: ReadonlySet<string> = new Set(['Bash', 'PowerShell', 'exec_command', 'shell', 'local_shell']);

/** The first word of the names of tools of servers, by what it says they do. */
const VERBS: ReadonlyMap<string, WorkKind> = new Map<string, WorkKind>([
  ['read', 'explore'],
  ['get', 'explore'],
  ['list', 'explore'],
  ['search', 'explore'],
  ['find', 'explore'],
  ['fetch', 'explore'],
  ['query', 'explore'],
  ['write', 'change'],
  ['edit', 'change'],
  ['update', 'change'],
  ['create', 'change'],
  ['move', 'change'],
]);

/** Whether a tool runs commands: its target is one. */
export function isShell(tool: string): boolean {
  return SHELLS.has(tool);
}

/** The kind of work that an action is. `other` moves nothing. */
export function kindOf({ target, tool }: Pick<Action, 'target' | 'tool'>): WorkKind {
  if (isShell(tool)) {
    const command = target === undefined ? undefined : commandOf(target);
    return command === undefined ? 'other' : kindOfCommand(command);
  }
  const known = TOOLS.get(tool);
  if (known !== undefined) return known;
  const name = tool.slice(tool.lastIndexOf('__') + (tool.includes('__') ? 2 : 1));
  return VERBS.get(name.split(/[_-]/, 1)[0]?.toLowerCase() ?? '') ?? 'other';
}
