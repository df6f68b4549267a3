import type { Client, Where } from '../client.js';
import { classify, OLD_SSE, type Kind, unlessSignedIn } from '../text/json/classify.js';
import { jsonTexts } from '../text/json/client.js';
import { JSONC } from '../text/json/read.js';
import type { Shape } from '../text/json/shape.js';
import { pathsOf } from '../place/paths.js';

/** Cursor: `~/.cursor/mcp.json` and `.cursor/mcp.json` of a project. */
export const cursor: Client = {
  name: 'cursor',
  title: 'Cursor',
  locks: () => false,
  files(where: Where) {
    const { join } = pathsOf(where);
    return [
      { path: join(where.userHome, '.cursor', 'mcp.json'), scope: 'user' },
      { path: join(where.project, '.cursor', 'mcp.json'), scope: 'project', project: where.project },
    ];
  },
  ...jsonTexts({
    client: 'cursor',
    dialect: JSONC,
    urlKeys: ['url'],
    lists: (_root, file) => [{ pointer: ['mcpServers'], scope: file.scope }],
    kind,
    token: (enrolToken) => enrolToken,
  }),
  forbids: () => () => undefined,
  unroutable: () => [],
};

function kind(shape: Shape): Kind {
  const found = classify(shape, {
    stdio: ['stdio'],
    http: ['http', 'streamable-http', 'streamableHttp'],
    sse: ['sse'],
    // The client tries both transports; such an address is by custom one of the older.
    untypedUrl: ({ value }) => (/\/sse\/?(?:[?#]|$)/.test(value) ? OLD_SSE : { kind: 'http' }),
  });
  return unlessSignedIn(found, shape, ['auth', 'oauth']);
}
