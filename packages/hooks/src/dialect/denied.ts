import type { JsonObject } from '@subluminal/core-types';

/**
 * A refusal, in the words of Claude Code, which Codex has taken over. One key more, or no reason, and Codex
 * takes the answer for a failure and runs the tool.
 */
export function denied(reason: string): JsonObject {
  return {
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: reason,
    },
  };
}
