import { closeSync, fstatSync, readlinkSync, readSync } from 'node:fs';
import { hasCode } from '@subluminal/ipc';
import {
  type BytePath,
  bytePath,
  joined,
  namesOf,
  pathOfLatin1,
  pathOfText,
  ROOT,
  split,
} from '../files/byte-path.js';
import { pathOf } from '../files/by-descriptor.js';
import type { Folder } from '../files/folder.js';
import { Folders } from '../files/folders.js';
import { gitSettings } from './git-config.js';
import type { RiskPlace } from './risk.js';
import { riskOfName } from './risks.js';

const SETTINGS = ['.git/config', '.git/config.worktree'] as const;
/** Settings whose value is a program, or a folder of such. */
const PROGRAMS: ReadonlySet<string> = new Set(['core.hookspath', 'core.fsmonitor']);
const MOST_FILES = 8;
const MOST_BYTES = 262_144;
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
 * The places of one project that have a risk by what stands elsewhere in it: the folders of hooks, and the
 * program that watches files, that git's settings name, and what a link stands for that has a risk by its
 * name. Reads no more than 256 KiB of each file of settings, and eight of them.
 */
export function riskPlaces(project: Folder): readonly RiskPlace[] {
  const folders = new Folders(project);
  try {
    return [...ofSettings(folders, realOf(project)), ...linkedOf(folders)];
  } finally {
    folders.close();
  }
}

/** Where the project is; a setting may name it with its whole path. */
function realOf(project: Folder): BytePath {
  return bytePath(readlinkSync(pathOf(project.fd), { encoding: 'buffer' }));
}

function ofSettings(folders: Folders, project: BytePath): readonly RiskPlace[] {
  const found: RiskPlace[] = [];
  const waiting = SETTINGS.map((path) => pathOfText(path));
  for (let at = 0; at < waiting.length && at < MOST_FILES; at += 1) {
    const file = waiting[at] ?? ROOT;
    for (const { name, value } of gitSettings(textOf(folders, file))) {
      const isFile = name === 'include.path' || (name.startsWith('includeif.') && name.endsWith('.path'));
      // Paths of settings begin at the project's folder, and those of other files of settings at that file's.
      const path = inside(isFile ? split(file).folder : ROOT, pathOfText(value), project);
      if (path === undefined) continue;
      if (isFile) waiting.push(path);
      else if (PROGRAMS.has(name)) found.push({ path, risk: 'git_hooks' });
    }
  }
  return found;
}

function textOf(folders: Folders, path: BytePath): string {
  const { folder, name } = split(path);
  const open = folders.at(folder);
  if (open === undefined) return '';
  let file: number;
  try {
    file = open.file(name);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ELOOP', 'EACCES', 'ENXIO')) return '';
    throw error;
  }
  try {
    if (!fstatSync(file).isFile()) return '';
    const bytes = Buffer.alloc(MOST_BYTES);
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, 0));
  } finally {
    closeSync(file);
  }
}

function linkedOf(folders: Folders): readonly RiskPlace[] {
  return LINKED.flatMap((text) => {
    const path = pathOfText(text);
    const { folder, name } = split(path);
    const open = folders.at(folder);
    const risk = riskOfName(path);
    if (open === undefined || risk === undefined || open.look(name)?.isSymbolicLink() !== true) return [];
    const target = inside(folder, open.link(name), undefined);
    return target === undefined ? [] : [{ path: target, risk }];
  });
}

/**
 * A path of the project, by a text that is read from one of its folders; a whole path, if it is said where
 * the project is. Undefined where it leads out.
 */
function inside(folder: BytePath, text: BytePath, project: BytePath | undefined): BytePath | undefined {
  if (text === '') return undefined;
  if (text.startsWith('/')) {
    const isIn = project !== undefined && text.startsWith(`${project}/`);
    return isIn ? inside(ROOT, pathOfLatin1(text.slice(project.length + 1)), undefined) : undefined;
  }
  const names = [...namesOf(folder)];
  for (const name of namesOf(text)) {
    if (name === '' || name === '.') continue;
    if (name !== '..') names.push(name);
    else if (names.pop() === undefined) return undefined;
  }
  const path = names.reduce((above, name) => joined(above, name), ROOT);
  return path === '' ? undefined : path;
}
