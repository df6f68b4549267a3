import type { Client, ClientFile, Unroutable, Where } from '../client.js';
import { classify, unknown, type Kind } from '../text/json/classify.js';
import { jsonTexts } from '../text/json/client.js';
import { STRICT } from '../text/json/read.js';
import type { Shape } from '../text/json/shape.js';
import { applicationFolder, pathsOf, variable } from '../place/paths.js';

const NO_REMOTE = 'this client starts no remote server of this file';

/** Claude Desktop: `claude_desktop_config.json`. It reads it at its start only. */
export const claudeDesktop: Client = {
  name: 'claude-desktop',
  title: 'Claude Desktop',
  locks: () => false,
  files: (where) =>
    folders(where).map((folder): ClientFile => ({
      path: pathsOf(where).join(folder, 'claude_desktop_config.json'),
      scope: 'user',
    })),
  ...jsonTexts({
    client: 'claude-desktop',
    dialect: STRICT,
    urlKeys: ['url'],
    lists: () => [{ pointer: ['mcpServers'], scope: 'user' }],
    kind,
    token: (enrolToken) => enrolToken,
  }),
  forbids: () => () => undefined,
  unroutable: (where) => folders(where).flatMap((folder) => extensionsOf(where, folder)),
};

function kind(shape: Shape): Kind {
  return classify(shape, {
    stdio: ['stdio'],
    http: [],
    sse: [],
    untypedUrl: () => unknown(NO_REMOTE),
  });
}

/** On Windows the packaged builds (MSIX) have a folder of their own for it. */
function folders(where: Where): readonly string[] {
  const { join } = pathsOf(where);
  const usual = join(applicationFolder(where), 'Claude');
  if (where.platform !== 'win32') return [usual];
  const local = variable(where, 'LOCALAPPDATA') ?? join(where.userHome, 'AppData', 'Local');
  const packages = join(local, 'Packages');
  return [
    usual,
    ...where
      .list(packages)
      .filter((name) => name.startsWith('Claude_'))
      .map((name) => join(packages, name, 'LocalCache', 'Roaming', 'Claude')),
  ];
}

function extensionsOf(where: Where, folder: string): readonly Unroutable[] {
  return where
    .list(pathsOf(where).join(folder, 'Claude Extensions'))
    .map((name) => ({ name, reason: 'it is an extension, which the client starts by itself' }));
}
