import type { ClientFile, Where } from '../client.js';
import { pathsOf, variable } from '../place/paths.js';

/** Where Codex keeps its own files: `CODEX_HOME`, else `~/.codex`. */
export function codexHome(where: Where): string {
  return variable(where, 'CODEX_HOME') ?? pathsOf(where).join(where.userHome, '.codex');
}

/**
 * The files that Codex lays over each other: the user's, one for each profile, and one in every folder from
 * the root of the repository down to the project.
 */
export function codexFiles(where: Where): readonly ClientFile[] {
  const { join } = pathsOf(where);
  const home = codexHome(where);
  const profiles = where.list(home).filter((name) => name.endsWith('.config.toml'));
  return [
    { path: join(home, 'config.toml'), scope: 'user' },
    ...profiles.toSorted().map((name) => ({ path: join(home, name), scope: 'profile' }) as const),
    ...projectFolders(where).flatMap((folder): readonly ClientFile[] =>
      // In the user's own home folder it is the user's file.
      join(folder, '.codex') === home
        ? []
        : [{ path: join(folder, '.codex', 'config.toml'), scope: 'project', project: folder }],
    ),
  ];
}

/** The folders from the root of the repository to the project, the project alone where it is in none. */
export function projectFolders(where: Where): readonly string[] {
  const { dirname } = pathsOf(where);
  const folders: string[] = [];
  for (let folder = where.project; ; folder = dirname(folder)) {
    folders.unshift(folder);
    if (isRoot(where, folder)) return folders;
    if (dirname(folder) === folder) return [where.project];
  }
}

/** A folder above the project that cannot be looked into is no root of its repository. */
function isRoot(where: Where, folder: string): boolean {
  try {
    return where.list(folder).includes('.git');
  } catch {
    return false;
  }
}
