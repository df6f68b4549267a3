import type { ClientTool } from './told.js';

const PREFIX = 'mcp__';

/**
 * The tool that a client calls `mcp__SERVER__TOOL`; undefined for a tool of its own. Both names are as the
 * client spells them, which puts `_` in the place of other characters. Where a server's name has `__` in it
 * the first one is taken to end it, unless the client says the server's name beside.
 */
export function mcpTool(name: string, server: string | undefined): ClientTool | undefined {
  if (!name.startsWith(PREFIX)) return undefined;
  const rest = name.slice(PREFIX.length);
  const spelled = server?.replaceAll(/[^A-Za-z0-9_-]/g, '_');
  if (server !== undefined && spelled !== undefined && rest.startsWith(`${spelled}__`))
    return { server, name: rest.slice(spelled.length + 2), isMcp: true, saysServer: true };
  const end = rest.indexOf('__');
  if (end <= 0 || end + 2 === rest.length) return undefined;
  return {
    server: server ?? rest.slice(0, end),
    name: rest.slice(end + 2),
    isMcp: true,
    saysServer: server !== undefined,
  };
}

/**
 * Whether a tool of a client is of this server. A name that the client says is taken as it stands. One that
 * was read out of the tool's name has `_` in the place of other characters, and may end behind any `__`.
 */
export function isOfServer({ saysServer, server, name: tool }: ClientTool, name: string): boolean {
  return saysServer ? server === name : soundsLike(server, name) && !tool.includes('__');
}

/** Whether two servers may be one, as clients spell names. */
export function soundsLike(one: string, other: string): boolean {
  return plain(one) === plain(other);
}

function plain(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]/g, '_');
}
