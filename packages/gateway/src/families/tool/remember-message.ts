import type { ToolCallBeginPayload } from '@subluminal/core-types';
import type { Run } from '../../runs/run.js';

/** Where Claude Code and Codex put their own id of a call into its message. */
const ID_KEYS = ['claudecode/toolUseId', 'callId'] as const;

/** Remembers a call that came as a message: a hook that tells of it later on is known to tell of that one. */
export function rememberMessage(run: Run, { server_name: server, context }: ToolCallBeginPayload): void {
  run.routed.add(server);
  for (const key of ID_KEYS) {
    const id = context?.[key];
    if (typeof id === 'string') run.seenIds.add(id);
  }
}
