import type { Unroutable, Where } from '../client.js';
import { namesAt, readOther } from '../text/json/other-file.js';
import { STRICT } from '../text/json/read.js';
import { memberOf, stringAt, type JsonNode } from '../text/json/tree.js';
import { pathsOf } from '../place/paths.js';
import { managedFolder, settingsFolder } from './files.js';

/**
 * Servers that Claude Code starts from files that are not the user's: those of an administrator and of
 * plugins.
 */
export function claudeUnroutable(where: Where): readonly Unroutable[] {
  const { join } = pathsOf(where);
  const managed = readOther(where, join(managedFolder(where), 'managed-mcp.json'), STRICT);
  if ('problem' in managed) return [broken(managed.path, managed.problem)];
  const names = namesAt(managed.root, 'mcpServers');
  return [
    ...names.map((name) => ({ name, reason: `\`${managed.path}\` is an administrator's` })),
    ...pluginServers(where),
  ];
}

function pluginServers(where: Where): readonly Unroutable[] {
  const { join } = pathsOf(where);
  const list = readOther(where, join(settingsFolder(where), 'plugins', 'installed_plugins.json'), STRICT);
  if ('problem' in list) return [broken(list.path, list.problem)];
  const plugins = memberOf(list.root, 'plugins')?.value;
  if (plugins?.kind !== 'object') return [];
  return plugins.members.flatMap(({ key, value }) => {
    const name = key.split('@', 1)[0] ?? key;
    const folders = new Set(installPaths(value));
    return [...folders].flatMap((folder) => serversOf(where, folder, name));
  });
}

function serversOf(where: Where, folder: string, plugin: string): readonly Unroutable[] {
  const { join } = pathsOf(where);
  const files = [
    readOther(where, join(folder, '.mcp.json'), STRICT),
    readOther(where, join(folder, '.claude-plugin', 'plugin.json'), STRICT),
  ];
  return files.flatMap((file) =>
    'problem' in file
      ? [broken(file.path, file.problem)]
      : namesAt(file.root, 'mcpServers').map((server) => ({
          name: `plugin:${plugin}:${server}`,
          reason: `it is part of a plugin (\`${file.path}\`), which the client replaces when it updates`,
        })),
  );
}

/** One installation, or a list of them. */
function installPaths(node: JsonNode): readonly string[] {
  const each = node.kind === 'array' ? node.items : [node];
  return each.flatMap((one) => stringAt(one, 'installPath') ?? []);
}

function broken(path: string, problem: string): Unroutable {
  return { name: path, reason: `it cannot be read, and may name servers (${problem})` };
}
