import { canonicalize, sha256Hex, type JsonObject, type ToolCallBeginPayload } from '@subluminal/core-types';

/** Words of a client beside what its own tools do: another wording of the same call is the same call. */
export const COSMETIC: ReadonlySet<string> = new Set(['description', 'timeout', 'timeout_ms']);
/**
 * The hash of everything that a yes is about: the tool, the folder and the arguments, all but the cosmetic
 * ones of a client's own tools. The hash of the bytes where the arguments were not inspected.
 */
export function subjectHash(payload: ToolCallBeginPayload, argsHash: string): string {
  const { server_name: server, tool_name: tool, cwd, args, via } = payload;
  const isOwn = via === 'claude_hook' || via === 'codex_hook';
  const about = args === undefined ? argsHash : isOwn ? essential(args) : args;
  return sha256Hex(canonicalize([server, tool, cwd ?? null, about]));
}

function essential(args: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(args).filter(([key]) => !COSMETIC.has(key)));
}
