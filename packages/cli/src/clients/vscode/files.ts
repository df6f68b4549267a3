import type { ClientFile, Where } from '../client.js';
import { applicationFolder, pathsOf } from '../place/paths.js';

/** The editors that keep their settings as Visual Studio Code does. */
const PRODUCTS = ['Code', 'Code - Insiders', 'VSCodium'];

/** Folders named `User`, of every such editor, here and on machines that are worked on from elsewhere. */
export function userFolders(where: Where): readonly string[] {
  const { join } = pathsOf(where);
  return [
    ...PRODUCTS.map((product) => join(applicationFolder(where), product, 'User')),
    join(where.userHome, '.vscode-server', 'data', 'User'),
  ];
}

/** The user's file, one for each profile, and that of the project. */
export function vscodeFiles(where: Where): readonly ClientFile[] {
  const { join } = pathsOf(where);
  return [
    ...userFolders(where).flatMap((folder): readonly ClientFile[] => [
      { path: join(folder, 'mcp.json'), scope: 'user' },
      ...where
        .list(join(folder, 'profiles'))
        .map((id): ClientFile => ({ path: join(folder, 'profiles', id, 'mcp.json'), scope: 'profile' })),
    ]),
    { path: join(where.project, '.vscode', 'mcp.json'), scope: 'project', project: where.project },
  ];
}
