import type { Client, Unroutable, Where } from '../client.js';
import { classify, OLD_SSE, type Kind, unknown, unlessSignedIn } from '../text/json/classify.js';
import { jsonTexts } from '../text/json/client.js';
import { namesAt, readOther } from '../text/json/other-file.js';
import { WITH_COMMENTS } from '../text/json/read.js';
import type { Shape } from '../text/json/shape.js';
import { memberOf } from '../text/json/tree.js';
import { pathsOf, variable } from '../place/paths.js';

/** Gemini CLI: `~/.gemini/settings.json` and `.gemini/settings.json` of a project. */
export const gemini: Client = {
  name: 'gemini',
  title: 'Gemini CLI',
  locks: () => false,
  files(where: Where) {
    const { join } = pathsOf(where);
    return [
      { path: join(folderOf(where), 'settings.json'), scope: 'user' },
      { path: join(where.project, '.gemini', 'settings.json'), scope: 'project', project: where.project },
    ];
  },
  ...jsonTexts({
    client: 'gemini',
    dialect: WITH_COMMENTS,
    // The first of these that is there counts, for the client as for us.
    urlKeys: ['httpUrl', 'url'],
    lists: (_root, file) => [{ pointer: ['mcpServers'], scope: file.scope }],
    kind,
    token: (enrolToken) => enrolToken,
  }),
  forbids: () => () => undefined,
  unroutable,
};

function kind(shape: Shape): Kind {
  if (memberOf(shape.node, 'tcp') !== undefined) return unknown('servers over websockets are not routed');
  const { url, command } = shape;
  const isBoth = url !== undefined && command !== undefined && shape.ours === undefined;
  if (isBoth) return unknown('it has a command and an address, of which the client takes one');
  const found = classify(shape, {
    stdio: ['stdio'],
    http: ['http'],
    sse: ['sse'],
    untypedUrl: ({ key }) => (key === 'httpUrl' ? { kind: 'http' } : OLD_SSE),
  });
  return unlessSignedIn(found, shape, ['oauth', 'authProviderType']);
}

/** Servers of extensions, and of the files of an administrator. */
function unroutable(where: Where): readonly Unroutable[] {
  const { join } = pathsOf(where);
  const extensions = join(folderOf(where), 'extensions');
  return [
    ...systemFiles(where).flatMap((path) => named(where, path, "is an administrator's")),
    ...where
      .list(extensions)
      .flatMap((name) =>
        named(where, join(extensions, name, 'gemini-extension.json'), 'belongs to an extension'),
      ),
  ];
}

function named(where: Where, path: string, whose: string): readonly Unroutable[] {
  const file = readOther(where, path, WITH_COMMENTS);
  if ('problem' in file) {
    return [{ name: path, reason: `it cannot be read, and may name servers (${file.problem})` }];
  }
  return namesAt(file.root, 'mcpServers').map((name) => ({ name, reason: `\`${path}\` ${whose}` }));
}

function systemFiles(where: Where): readonly string[] {
  const { join } = pathsOf(where);
  const folder =
    where.platform === 'darwin'
      ? '/Library/Application Support/GeminiCli'
      : where.platform === 'win32'
        ? 'C:\\ProgramData\\gemini-cli'
        : '/etc/gemini-cli';
  return [
    variable(where, 'GEMINI_CLI_SYSTEM_SETTINGS_PATH') ?? join(folder, 'settings.json'),
    variable(where, 'GEMINI_CLI_SYSTEM_DEFAULTS_PATH') ?? join(folder, 'system-defaults.json'),
  ];
}

function folderOf(where: Where): string {
  return pathsOf(where).join(variable(where, 'GEMINI_CLI_HOME') ?? where.userHome, '.gemini');
}
