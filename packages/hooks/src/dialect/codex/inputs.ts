/** `${NAME}` in the input of an `mcp_tool` hook, which Codex replaces by that member of the event. */
const asIs = (event: string, names: readonly string[]): Readonly<Record<string, string>> => ({
  hook_event_name: event,
  ...Object.fromEntries(names.map((name) => [name, `\${${name}}`])),
});

const TOOL = ['session_id', 'turn_id', 'cwd', 'permission_mode', 'tool_name', 'tool_input', 'tool_use_id'];

/**
 * The members that hooks of Codex hand over, event by event: those that every event of its kind has. One that
 * is missing fails the hook, and the tool runs. Source: the schemas in the program, 0.169.0.
 */
export const CODEX_INPUTS: ReadonlyMap<string, Readonly<Record<string, string>>> = new Map(
  (
    [
      ['SessionStart', ['session_id', 'cwd', 'source', 'model', 'permission_mode']],
      ['UserPromptSubmit', ['session_id', 'cwd', 'permission_mode', 'prompt']],
      ['PreToolUse', TOOL],
      ['PostToolUse', [...TOOL, 'tool_response']],
      ['SubagentStart', ['session_id', 'cwd', 'agent_id', 'agent_type']],
      ['SubagentStop', ['session_id', 'cwd', 'agent_id', 'agent_type', 'stop_hook_active']],
      ['PreCompact', ['session_id', 'cwd', 'trigger']],
      ['PostCompact', ['session_id', 'cwd', 'trigger']],
      ['Stop', ['session_id', 'cwd', 'stop_hook_active']],
    ] as const
  ).map(([event, names]) => [event, asIs(event, names)]),
);
