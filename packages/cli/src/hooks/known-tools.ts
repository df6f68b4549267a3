/** The tools that are built into Claude Code, as far as they are known. */
export const CLAUDE_TOOLS: readonly string[] = [
  'Agent',
  'AskUserQuestion',
  'Bash',
  'BashOutput',
  'Edit',
  'ExitPlanMode',
  'Glob',
  'Grep',
  'KillShell',
  'LSP',
  'MultiEdit',
  'NotebookEdit',
  'Read',
  'Skill',
  'SlashCommand',
  'Task',
  'TaskOutput',
  'TaskStop',
  'TodoWrite',
  'WebFetch',
  'WebSearch',
  'Write',
];

/** Those of Codex, by the names that its hooks have for them. */
export const CODEX_TOOLS: readonly string[] = ['Bash', 'apply_patch', 'update_plan', 'view_image'];
