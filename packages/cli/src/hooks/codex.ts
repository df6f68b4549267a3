import { CODEX_INPUTS } from '@subluminal/hooks';
import { codexHome, projectFolders } from '../clients/codex/files.js';
import type { Where } from '../clients/client.js';
import { pathsOf } from '../clients/place/paths.js';
import { codexHandler, CONTROL_SERVER } from './codex-trust.js';
import { codexConfig } from './codex-config.js';
import type { HookClient, HookFile } from './hook-client.js';
import { handlersIn, type IsOurs, withGroups, withoutGroups } from './json-groups.js';

/** Codex: hooks beside the user's configuration, answered by a server that Codex starts. */
export const codexHooks: HookClient = {
  name: 'codex',
  title: 'Codex',
  files: (where) => {
    const { join } = pathsOf(where);
    const hooks = join(codexHome(where), 'hooks.json');
    return [hooksFile(hooks), codexConfig(join(codexHome(where), 'config.toml'), hooks, where)];
  },
  obstacles: (where) => {
    const path = pathsOf(where).join(codexHome(where), 'config.toml');
    const text = where.readText(path) ?? '';
    return /^\s*(?:codex_)?hooks\s*=\s*false/m.test(text)
      ? [{ path, why: '`hooks = false` under `[features]` switches every hook off' }]
      : [];
  },
  foreign: (where) => {
    const { join } = pathsOf(where);
    return projectFolders(where).flatMap((folder) => {
      const path = join(folder, '.codex', 'hooks.json');
      const events = [...new Set(eventsIn(where, path))];
      return events.length === 0 ? [] : [{ path, events }];
    });
  },
  canBlockWhenAway: false,
};

function hooksFile(path: string): HookFile {
  const groups = [...CODEX_INPUTS.keys()].map((event) => ({
    event,
    group: { hooks: [codexHandler(event)] },
  }));
  return {
    path,
    installed: (text) => withGroups(text, groups, isOurs),
    removed: (text) => withoutGroups(text, isOurs),
    hasOurs: (text) => handlersIn(text).some(({ handler }) => isOurs(handler)),
  };
}

/** Whether a handler asks the control server. */
export const isOurs: IsOurs = ({ type, server }) => type === 'mcp_tool' && server === CONTROL_SERVER;

function eventsIn(where: Where, path: string): readonly string[] {
  try {
    const found = handlersIn(where.readText(path) ?? '{}');
    return found.filter(({ handler }) => !isOurs(handler)).map(({ event }) => event);
  } catch {
    return [];
  }
}
