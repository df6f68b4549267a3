import { type BytePath, pathOfLatin1 } from '../files/byte-path.js';

/**
 * The whole path that a text names from a folder, of which links are not looked up. A whole path begins with
 * a slash, and has neither `.` nor `..`.
 */
export function wholePath(folder: BytePath, text: BytePath): BytePath {
  const names: string[] = [];
  for (const name of (text.startsWith('/') ? text : `${folder}/${text}`).split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return pathOfLatin1(`/${names.join('/')}`);
}

/** The path in a project, which has a whole path, of another one. Undefined where that is not in it. */
export function placeIn(project: BytePath, path: BytePath): BytePath | undefined {
  return path.startsWith(`${project}/`) ? pathOfLatin1(path.slice(project.length + 1)) : undefined;
}
