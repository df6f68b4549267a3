/** The keys of a JSON-RPC message that decide what it means. */
export const ENVELOPE_KEYS: readonly string[] = ['jsonrpc', 'id', 'method', 'params', 'result', 'error'];

/** The keys of a tool call's params that decide what it does. */
export const TOOL_CALL_KEYS: readonly string[] = ['name', 'arguments'];

/**
 * Tells whether `key` is one of `names` in other letters. Some decoders (Go's among them) match names without regard to
 * case, by Unicode's simple folding, so that `Method` or `paramſ` would reach the server as what we did not judge.
 */
export function isVariantOf(names: readonly string[], key: string): boolean {
  if (key.length > 16 || names.includes(key)) return false;
  // Folding up and then down maps ſ and K (Kelvin) as well; it folds a little more than any decoder does.
  return names.includes(key.toUpperCase().toLowerCase());
}
