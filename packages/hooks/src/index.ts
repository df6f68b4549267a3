/** The complete public surface of @subluminal/hooks: named exports only. */
export { claude, CLAUDE_BUILTIN } from './dialect/claude/claude.js';
export { CLAUDE_EVENTS } from './dialect/claude/events.js';
export { codex, CODEX_BUILTIN } from './dialect/codex/codex.js';
export { CODEX_INPUTS } from './dialect/codex/inputs.js';
export { mcpTool, soundsLike } from './dialect/mcp-name.js';
export type { Dialect } from './dialect/told.js';
export { HookSession } from './session/hook-session.js';
export { hookGateway } from './session/gateway.js';
export { ControlServer, MAX_LINE } from './serve/control-server.js';
export { Lines } from './serve/lines.js';
