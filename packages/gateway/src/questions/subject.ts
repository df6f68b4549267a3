import { canonicalize, sha256Hex, type JsonObject, type ToolCallBeginPayload } from '@subluminal/core-types';

/** Words of a client beside what its own tools do: another wording of the same call is the same call. */
const COSMETIC: ReadonlySet<string> = new Set(['description', 'timeout', 'timeout_ms']);
/**
 * The hash of everything that a yes is about: the tool, the folder and the arguments, all but the cosmetic
 * ones of a client's own tools. The hash of the bytes where the arguments were not inspected.
 */
export function subjectHash(payload: ToolCallBeginPayload, argsHash: string): string {
  const { server_name: server, tool_name: tool, cwd, args } = payload;
  const about = args === undefined ? argsHash : essential(payload, args);
  return sha256Hex(canonicalize([server, tool, cwd ?? null, about]));
}

/** Whether an argument is one by which nobody asks and nobody is asked. */
export function isCosmetic({ via }: ToolCallBeginPayload, key: string): boolean {
  return (via === 'claude_hook' || via === 'codex_hook') && COSMETIC.has(key);
}

function essential(payload: ToolCallBeginPayload, args: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(args).filter(([key]) => !isCosmetic(payload, key)));
}
