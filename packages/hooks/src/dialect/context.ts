import type { JsonObject } from '@subluminal/core-types';
import type { Context } from './told.js';

/**
 * An answer without an opinion, in the words of Claude Code, which Codex has taken over: empty, or with a
 * text that stands in the model's next request.
 */
export function passed(context: Context | undefined): JsonObject {
  if (context === undefined) return {};
  const { event, text } = context;
  return { hookSpecificOutput: { hookEventName: event, additionalContext: text } };
}
