import { join } from 'node:path';
import { isSublError, parseJson } from '@subluminal/core-types';
import { worldEnvironment } from '@subluminal/worlds';
import { readText } from '../../home/settings.js';
import {
  type ClientHome,
  type Homes,
  only,
  serversOf,
  shownIn,
  tableOf,
  unreadable,
  withoutToken,
} from './client-home.js';

/** Members of `.claude.json` that a session needs: nothing of other projects, accounts or keys. */
const STATE = [
  'autoUpdates',
  'bypassPermissionsModeAccepted',
  'editorMode',
  'hasCompletedOnboarding',
  'installMethod',
  'lastOnboardingVersion',
  'numStartups',
  'theme',
  'verbose',
];
const OF_PROJECT = [
  'allowedTools',
  'disabledMcpServers',
  'disabledMcpjsonServers',
  'enableAllProjectMcpServers',
  'enabledMcpjsonServers',
  'hasCompletedProjectOnboarding',
  'hasTrustDialogAccepted',
  'mcpContextUris',
];
/** Members of `settings.json`: none that holds a key, or names a program that prints one. */
const SETTINGS = [
  'allowManagedHooksOnly',
  'allowedHttpHookUrls',
  'allowedMcpServers',
  'alwaysThinkingEnabled',
  'attribution',
  'availableModels',
  'cleanupPeriodDays',
  'deniedMcpServers',
  'disableAllHooks',
  'disabledMcpjsonServers',
  'effortLevel',
  'enableAllProjectMcpServers',
  'enabledMcpjsonServers',
  'fileSuggestion',
  'hooks',
  'httpHookAllowedEnvVars',
  'includeCoAuthoredBy',
  'language',
  'model',
  'outputStyle',
  'permissions',
  'respectGitignore',
  'statusLine',
];
const SHOWN = ['CLAUDE.md', 'agents', 'commands', 'hooks', 'output-styles', 'rules', 'skills'];
const SANDBOX_OFF = JSON.stringify({ sandbox: { enabled: false } });

/**
 * The configuration of Claude Code in a world. Throws `config_invalid` for a file of its own that is no
 * JSON.
 */
export function claudeHome(
  homes: Homes,
  env: Readonly<Record<string, string | undefined>>,
  pass: readonly string[],
): ClientHome {
  const own = env['CLAUDE_CONFIG_DIR'] || undefined;
  const folder = own ?? join(homes.outside, '.claude');
  const inside = own ?? join(homes.inside, '.claude');
  const settingsPath = join(folder, 'settings.json');
  const settings = read(settingsPath);
  const statePath = own === undefined ? join(homes.outside, '.claude.json') : join(own, '.claude.json');
  const state = read(statePath);
  const found = stateOf(state, homes.project, pass);
  const variables = tableOf(settings['env']);
  const kept = worldEnvironment(textsOf(variables), pass);
  const leftOut = Object.keys(variables).filter((name) => !(name in kept));
  const places = [
    settingsPath,
    join(homes.project, '.claude/settings.json'),
    join(homes.project, '.claude/settings.local.json'),
  ];
  return {
    folders: own === undefined ? [] : [own],
    files: [
      {
        path: join(inside, 'settings.json'),
        text: written({
          ...only(settings, SETTINGS),
          ...(leftOut.length + Object.keys(kept).length === 0 ? {} : { env: kept }),
        }),
      },
      {
        path: own === undefined ? join(homes.inside, '.claude.json') : join(own, '.claude.json'),
        text: written(found.state),
      },
    ],
    shown: shownIn(folder, inside, SHOWN),
    // Its program may not be replaced inside, and it asks for what it takes for its own network.
    env: { DISABLE_AUTOUPDATER: '1', ...(own === undefined ? {} : { CLAUDE_CONFIG_DIR: own }) },
    // A file of the project that says otherwise counts for less.
    words: ['--settings', SANDBOX_OFF],
    logins: [join(folder, '.credentials.json')],
    leftOut: [...leftOut.map((name) => `\`${name}\` of its settings`), ...found.leftOut],
    hadSandbox: places.some((path) => tableOf(read(path)['sandbox'])['enabled'] === true),
  };
}

function stateOf(
  state: Readonly<Record<string, unknown>>,
  project: string,
  pass: readonly string[],
): { readonly state: object; readonly leftOut: readonly string[] } {
  const own = serversOf(state['mcpServers'], { headers: 'headers', pass });
  const leftOut = [...own.leftOut];
  const projects = Object.entries(tableOf(state['projects']))
    .filter(([folder]) => `${project}/`.startsWith(join(folder, '/')))
    .map(([folder, value]) => {
      const table = tableOf(value);
      const local = serversOf(table['mcpServers'], { headers: 'headers', pass });
      leftOut.push(...local.leftOut);
      return [folder, { ...only(table, OF_PROJECT), mcpServers: local.servers }] as const;
    });
  return {
    state: { ...only(state, STATE), mcpServers: own.servers, projects: Object.fromEntries(projects) },
    leftOut,
  };
}

function read(path: string): Readonly<Record<string, unknown>> {
  const text = readText(path) ?? '';
  if (text.trim() === '') return {};
  try {
    return tableOf(parseJson(text));
  } catch (error) {
    if (isSublError(error)) throw unreadable(path, error);
    throw error;
  }
}

function textsOf(table: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(table).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

function written(value: object): string {
  return withoutToken(JSON.stringify(value));
}
