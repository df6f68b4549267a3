/**
 * Why the policy gives a command a layer of its own, in words; undefined: it does not. The reader of commands
 * is loaded only if there are patterns. Throws `policy_invalid` on a bad pattern.
 */
export async function isolationHere(
  patterns: readonly string[],
  command: readonly string[],
  folder: string,
): Promise<string | undefined> {
  if (patterns.length === 0) return undefined;
  const { isolationOf } = await import('@subluminal/policy');
  const { NO_KEYS, readCall } = await import('@subluminal/readings');
  const { placeHere } = await import('../../objects/read-here.js');
  const call = { server: 'world', tool: 'exec', args: { command: [...command] }, keys: NO_KEYS };
  return isolationOf(patterns, readCall(call, placeHere(folder)));
}
