import { readlinkSync } from 'node:fs';
import { userInfo } from 'node:os';
import { type BytePath, bytePath, joined, pathOfText, split } from '../files/byte-path.js';
import { pathOf } from '../files/by-descriptor.js';
import type { Folder } from '../files/folder.js';
import { Folders } from '../files/folders.js';
import { namedPlaces } from './git-places.js';
import type { RiskPlace } from './risk.js';
import { riskOfName } from './risks.js';
import { placeIn, wholePath } from './whole-path.js';

/** Names of a project that are a link often enough. */
const LINKED = [
  '.git/hooks',
  '.git/config',
  '.githooks',
  '.husky',
  '.github',
  '.claude',
  '.codex',
  '.cursor',
  '.vscode',
  '.envrc',
];

/**
 * The places of one project that have a risk by what stands elsewhere: the folders of hooks, the programs and
 * the files of settings that git's settings name, and what a link stands for that has a risk by its name.
 * Git looks for `~` in the account's home.
 */
export function riskPlaces(project: Folder, home = pathOfText(userInfo().homedir)): readonly RiskPlace[] {
  const folders = new Folders(project);
  try {
    return [...namedPlaces(realOf(project), home), ...linkedOf(folders)];
  } finally {
    folders.close();
  }
}

/** Where the project is; a setting may name it with its whole path. */
function realOf(project: Folder): BytePath {
  return bytePath(readlinkSync(pathOf(project.fd), { encoding: 'buffer' }));
}

function linkedOf(folders: Folders): readonly RiskPlace[] {
  return LINKED.flatMap((text) => {
    const path = pathOfText(text);
    const { folder, name } = split(path);
    const open = folders.at(folder);
    const risk = riskOfName(path);
    if (open === undefined || risk === undefined || open.look(name)?.isSymbolicLink() !== true) return [];
    const target = targetOf(folder, open.link(name));
    return target === undefined ? [] : [{ path: target, risk }];
  });
}

/** The path of the project to which a link in one of its folders leads. Undefined where it leads out. */
function targetOf(folder: BytePath, text: BytePath): BytePath | undefined {
  if (text === '' || text.startsWith('/')) return undefined;
  // As deep as no link can lead up from, so that one that leads out is seen.
  return placeIn(TOP, wholePath(folder === '' ? TOP : joined(TOP, folder), text));
}

/** A folder for paths that begin at the project's. */
const TOP = pathOfText('/project');
