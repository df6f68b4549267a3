import { type BytePath, pathOfText, ROOT, split } from '../files/byte-path.js';
import { startOfFile } from './start-of-file.js';
import { wholePath } from './whole-path.js';

/** The repository of git in which a folder stands; whole paths. */
export interface GitFolder {
  /** The folder whose files it has, from which on settings name others. */
  readonly top: BytePath;
  /** The files of its settings: its own, and those of a worktree alone. */
  readonly settings: readonly BytePath[];
}

const GIT = pathOfText('.git');
const CONFIG = pathOfText('config');
const OF_WORKTREE = pathOfText('config.worktree');
const COMMON = pathOfText('commondir');
const LEADS = 'gitdir:';

/**
 * The repository around a folder, as git finds it: the next `.git` on the way up, which is a folder, or a
 * file that leads to one, as in a worktree and in a submodule. Undefined if there is none.
 */
export function gitFolderAround(folder: BytePath): GitFolder | undefined {
  for (let top = folder; ; top = split(top).folder) {
    const git = wholePath(top, GIT);
    const found = startOfFile(git);
    if (found === 'folder') return { top, settings: settingsIn(git) };
    if (found !== undefined && found.startsWith(LEADS)) {
      const own = wholePath(top, pathOfText(found.slice(LEADS.length).trim()));
      return { top, settings: settingsIn(own) };
    }
    if (top === ROOT) return undefined;
  }
}

/** A worktree has a folder of its own in the repository, which says where that is. */
function settingsIn(git: BytePath): readonly BytePath[] {
  const said = startOfFile(wholePath(git, COMMON));
  const common = said === undefined || said === 'folder' ? git : wholePath(git, pathOfText(said.trim()));
  return [wholePath(common, CONFIG), wholePath(git, OF_WORKTREE)];
}
