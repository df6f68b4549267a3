import { join } from 'node:path';
import { SublError } from '@subluminal/core-types';
import { stringify } from 'smol-toml';
import { readTable, readText } from '../../home/settings.js';
import {
  type ClientHome,
  type Homes,
  only,
  serversOf,
  shownIn,
  tableOf,
  withoutToken,
} from './client-home.js';

/** Members of `config.toml`: none that holds a key, starts a program outside, or is a sandbox. */
const CONFIG = [
  'analytics',
  'approval_policy',
  'check_for_update_on_startup',
  'features',
  'feedback',
  'file_opener',
  'hide_agent_reasoning',
  'hooks',
  'model',
  'model_auto_compact_token_limit',
  'model_context_window',
  'model_provider',
  'model_reasoning_effort',
  'model_reasoning_summary',
  'model_verbosity',
  'personality',
  'project_doc_fallback_filenames',
  'project_doc_max_bytes',
  'review_model',
  'show_raw_agent_reasoning',
  'tui',
  'web_search',
];
const PROVIDER = [
  'base_url',
  'env_key',
  'env_key_instructions',
  'name',
  'request_max_retries',
  'requires_openai_auth',
  'stream_idle_timeout_ms',
  'stream_max_retries',
  'wire_api',
];
const SHOWN = ['AGENTS.md', 'AGENTS.override.md', 'prompts', 'rules', 'skills'];
const NO_SANDBOX = 'danger-full-access';

/**
 * The configuration of Codex in a world. Throws `config_invalid` for a file of its own that is no TOML, and
 * `usage` for a flag that asks for its own sandbox.
 */
export function codexHome(
  homes: Homes,
  env: Readonly<Record<string, string | undefined>>,
  pass: readonly string[],
  args: readonly string[],
): ClientHome {
  const asked = sandboxIn(args);
  if (asked !== undefined)
    throw new SublError('usage', `\`${asked}\` asks for the sandbox of Codex, which fails in a world`, {
      help: 'leave it out: the world stands in its place',
    });
  const folder = env['CODEX_HOME'] || join(homes.outside, '.codex');
  const config = readTable(join(folder, 'config.toml')) ?? {};
  const found = serversOf(config['mcp_servers'], { headers: 'http_headers', pass });
  const projects = Object.entries(tableOf(config['projects'])).filter(([path]) =>
    `${homes.project}/`.startsWith(join(path, '/')),
  );
  const hooks = readText(join(folder, 'hooks.json'));
  const table = {
    ...only(config, CONFIG),
    mcp_servers: found.servers,
    model_providers: Object.fromEntries(
      Object.entries(tableOf(config['model_providers'])).map(([name, provider]) => [
        name,
        only(tableOf(provider), PROVIDER),
      ]),
    ),
    projects: Object.fromEntries(projects),
  };
  return {
    // By its own name: the trust in its hooks names their file.
    folders: [folder],
    files: [
      { path: join(folder, 'config.toml'), text: withoutToken(stringify(table)) },
      ...(hooks === undefined ? [] : [{ path: join(folder, 'hooks.json'), text: hooks }]),
    ],
    shown: shownIn(folder, folder, SHOWN),
    env: { CODEX_HOME: folder },
    words: ['-c', `sandbox_mode="${NO_SANDBOX}"`],
    logins: [join(folder, 'auth.json')],
    leftOut: found.leftOut,
    hadSandbox: (config['sandbox_mode'] ?? 'workspace-write') !== NO_SANDBOX,
  };
}

/**
 * The word that has Codex put its own sandbox around its commands. In a world that fails, and Codex says that
 * all went well.
 */
function sandboxIn(args: readonly string[]): string | undefined {
  const end = args.indexOf('--');
  const words = end === -1 ? args : args.slice(0, end);
  return words.find((word, at) => {
    if (word === '--full-auto') return true;
    if (word === '--sandbox' || word === '-s') return words[at + 1] !== NO_SANDBOX;
    if (/^(?:-c|--config)$/.test(words[at - 1] ?? '') || /^(?:-c|--config=)./.test(word))
      return word.includes('sandbox_mode') && !word.includes(NO_SANDBOX);
    return /^(?:--sandbox=|-s.)/.test(word) && !word.endsWith(NO_SANDBOX);
  });
}
