import { canonicalize, sha256Hex, type JsonObject, type ToolCallBeginPayload } from '@subluminal/core-types';

/** Words of a client beside a command of its own: another wording of the same call is the same call. */
const COSMETIC: ReadonlySet<string> = new Set(['description', 'timeout', 'timeout_ms']);
/** The names that calls of a client's own tools have for a server, by the hook that tells of them. */
const OWN: ReadonlyMap<string | undefined, string> = new Map([
  ['claude_hook', 'claude:builtin'],
  ['codex_hook', 'codex:builtin'],
]);

/**
 * The hash of everything that a yes is about: the tool, the folder and the arguments, all but the cosmetic
 * ones of a client's own commands. The hash of the bytes where the arguments were not inspected.
 */
export function subjectHash(payload: ToolCallBeginPayload, argsHash: string): string {
  const { server_name: server, tool_name: tool, cwd } = payload;
  return sha256Hex(canonicalize([server, tool, cwd ?? null, essential(payload) ?? argsHash]));
}

/** The arguments that make the call the one that it is; undefined where they were not inspected. */
export function essential({ server_name: server, args, via }: ToolCallBeginPayload): JsonObject | undefined {
  if (args === undefined || OWN.get(via) !== server || typeof args['command'] !== 'string') return args;
  return Object.fromEntries(Object.entries(args).filter(([key]) => !COSMETIC.has(key)));
}
