import { closeSync, fstatSync, readSync } from 'node:fs';
import { hasCode } from '@subluminal/ipc';
import { type BytePath, joined, namesOf, pathOfText, ROOT, split } from '../files/byte-path.js';
import type { Folder } from '../files/folder.js';
import { Folders } from '../files/folders.js';
import type { RiskPlace } from './risk.js';
import { riskOfName } from './risks.js';

const SETTINGS = pathOfText('.git/config');
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
 * The places of one project that have a risk by what stands elsewhere in it: the folder of hooks that git's
 * settings name, and what a link stands for that has a risk by its name. Reads no more than 256 KiB of the
 * settings.
 */
export function riskPlaces(project: Folder): readonly RiskPlace[] {
  const folders = new Folders(project);
  try {
    return [...hooksOf(folders), ...linkedOf(folders)];
  } finally {
    folders.close();
  }
}

function hooksOf(folders: Folders): readonly RiskPlace[] {
  return settingsOf(folders)
    .split('\n')
    .flatMap((line) => {
      const [key = '', ...value] = line.split('=');
      if (key.trim().toLowerCase() !== 'hookspath') return [];
      const path = inside(ROOT, pathOfText(value.join('=').trim().replaceAll('"', '')));
      return path === undefined ? [] : [{ path, risk: 'git_hooks' as const }];
    });
}

function settingsOf(folders: Folders): string {
  const { folder, name } = split(SETTINGS);
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
    const target = inside(folder, open.link(name));
    return target === undefined ? [] : [{ path: target, risk }];
  });
}

/** A path of the project, by a text that is read from one of its folders. Undefined where it leads out. */
function inside(folder: BytePath, text: BytePath): BytePath | undefined {
  if (text.startsWith('/') || text === '') return undefined;
  const names = [...namesOf(folder)];
  for (const name of namesOf(text)) {
    if (name === '' || name === '.') continue;
    if (name !== '..') names.push(name);
    else if (names.pop() === undefined) return undefined;
  }
  const path = names.reduce((above, name) => joined(above, name), ROOT);
  return path === '' ? undefined : path;
}
