import type { Client, ClientFile } from '../client.js';
import { classify, type Kind, type Types, unknown, unlessSignedIn } from '../text/json/classify.js';
import { jsonTexts, type ServerList } from '../text/json/client.js';
import { STRICT } from '../text/json/read.js';
import type { Shape } from '../text/json/shape.js';
import { memberOf, type JsonNode } from '../text/json/tree.js';
import { claudeFiles } from './files.js';
import { claudeForbids } from './lists.js';
import { claudeUnroutable } from './unroutable.js';

/** Names that Claude Code keeps for its own servers. */
const RESERVED = ['workspace', 'claude-in-chrome', 'computer-use', 'Claude Preview', 'Claude Browser'];

const TYPES: Types = {
  stdio: ['stdio'],
  http: ['http', 'streamable-http'],
  sse: ['sse', 'sse-ide'],
  untypedUrl: () => unknown('it has an address and no `type`, so that the client itself skips it'),
};

/**
 * Claude Code: `~/.claude.json` (servers of the user, and of single projects) and `.mcp.json` of a project.
 */
export const claude: Client = {
  name: 'claude',
  title: 'Claude Code',
  locks: (file) => file.scope === 'user',
  files: claudeFiles,
  ...jsonTexts({ client: 'claude', dialect: STRICT, urlKeys: ['url'], lists, kind, token }),
  forbids: claudeForbids,
  unroutable: claudeUnroutable,
};

function lists(root: JsonNode, file: ClientFile): readonly ServerList[] {
  if (file.scope === 'project') return [{ pointer: ['mcpServers'], scope: 'project' }];
  const projects = memberOf(root, 'projects')?.value;
  return [
    { pointer: ['mcpServers'], scope: 'user' },
    ...(projects?.kind === 'object' ? projects.members : []).map(({ key }): ServerList => ({
      pointer: ['projects', key, 'mcpServers'],
      scope: 'local',
    })),
  ];
}

function kind(shape: Shape, name: string): Kind {
  if (RESERVED.includes(name)) return unknown('the client keeps this name for a server of its own');
  const found = unlessSignedIn(classify(shape, TYPES), shape, ['oauth']);
  if (found.kind !== 'http' || found.cannot !== undefined) return found;
  return memberOf(shape.node, 'headersHelper') === undefined
    ? found
    : { kind: 'http', cannot: 'its `headersHelper` asks for headers of the server itself' };
}

/** Inside of a run the run’s own token takes the place of the one that stands here. */
function token(enrolToken: string): string {
  return `\${SUB_HTTP_TOKEN:-${enrolToken}}`;
}
