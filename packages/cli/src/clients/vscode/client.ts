import type { Client, Unroutable, Where } from '../client.js';
import { classify, type Kind, unlessSignedIn } from '../text/json/classify.js';
import { jsonTexts } from '../text/json/client.js';
import { namesAt, readOther } from '../text/json/other-file.js';
import { JSONC } from '../text/json/read.js';
import type { Shape } from '../text/json/shape.js';
import { memberOf } from '../text/json/tree.js';
import { pathsOf } from '../place/paths.js';
import { userFolders, vscodeFiles } from './files.js';

/** Visual Studio Code: `mcp.json` of the user, of profiles, and `.vscode/mcp.json` of a project. */
export const vscode: Client = {
  name: 'vscode',
  title: 'VS Code',
  locks: () => false,
  files: vscodeFiles,
  ...jsonTexts({
    client: 'vscode',
    dialect: JSONC,
    urlKeys: ['url'],
    lists: (_root, file) => [{ pointer: ['servers'], scope: file.scope }],
    kind,
    token: (enrolToken) => enrolToken,
  }),
  forbids: () => () => undefined,
  unroutable,
};

function kind(shape: Shape): Kind {
  const found = classify(shape, {
    stdio: ['stdio'],
    http: ['http'],
    sse: ['sse'],
    untypedUrl: () => ({ kind: 'http' }),
  });
  if (found.kind === 'stdio' && ['sandbox', 'sandboxEnabled'].some((key) => has(shape, key))) {
    return { kind: 'stdio', cannot: 'the client starts it in a sandbox, which the gateway is outside of' };
  }
  return unlessSignedIn(found, shape, ['oauth', 'auth']);
}

function has({ node }: Shape, key: string): boolean {
  return memberOf(node, key) !== undefined;
}

/** Servers in `settings.json`, where older versions had them. */
function unroutable(where: Where): readonly Unroutable[] {
  return userFolders(where).flatMap((folder) => {
    const file = readOther(where, pathsOf(where).join(folder, 'settings.json'), JSONC);
    if ('problem' in file) {
      return [{ name: file.path, reason: `it cannot be read, and may name servers (${file.problem})` }];
    }
    return namesAt(memberOf(file.root, 'mcp')?.value, 'servers').map((name) => ({
      name,
      reason: `it stands in \`${file.path}\`, where only older versions look; \`mcp.json\` is its place`,
    }));
  });
}
