import { type BytePath, pathOfText, split } from '../files/byte-path.js';
import { gitSettings } from './git-config.js';
import { gitFolderAround } from './git-folder.js';
import type { RiskPlace } from './risk.js';
import { startOfFile } from './start-of-file.js';
import { placeIn, wholePath } from './whole-path.js';

/** Settings whose value is a folder of programs. */
const FOLDERS: ReadonlySet<string> = new Set(['core.hookspath', 'init.templatedir']);
/** The names of hooks that git runs on this machine: https://git-scm.com/docs/githooks */
const HOOKS = [
  'applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit',
  'prepare-commit-msg commit-msg post-commit pre-rebase post-checkout post-merge pre-push',
  'pre-receive update proc-receive post-receive post-update pre-auto-gc',
  'reference-transaction push-to-checkout post-rewrite sendemail-validate post-index-change',
  'fsmonitor-watchman p4-changelist p4-prepare-changelist p4-post-changelist p4-pre-submit',
].flatMap((line) => line.split(' ').map((name) => pathOfText(name)));
/** Settings whose value is a file that git obeys, besides other files of settings. */
const OBEYED: ReadonlySet<string> = new Set(['core.attributesfile']);
/** Settings whose value is a command, or names one; `*` stands for a name that is anyone's. */
const COMMANDS: ReadonlySet<string> = new Set(
  [
    ['alternaterefscommand', 'askpass', 'editor', 'fsmonitor', 'gitproxy', 'pager', 'sshcommand'].map(
      (key) => `core.${key}`,
    ),
    ['clean', 'process', 'smudge'].map((key) => `filter.*.${key}`),
    ['command', 'textconv'].map((key) => `diff.*.${key}`),
    ['browser', 'difftool', 'guitool', 'man', 'mergetool'].flatMap((tool) => [
      `${tool}.*.cmd`,
      `${tool}.*.path`,
    ]),
    ['receivepack', 'uploadpack', 'vcs'].map((key) => `remote.*.${key}`),
    ['cccmd', 'headercmd', 'sendmailcmd', 'smtpserver', 'tocmd'].flatMap((key) => [
      `sendemail.${key}`,
      `sendemail.*.${key}`,
    ]),
    ['credential.helper', 'credential.*.helper', 'diff.external', 'gpg.program', 'gpg.*.program'],
    ['gpg.*.defaultkeycommand', 'instaweb.httpd', 'interactive.difffilter', 'merge.*.driver'],
    ['sequence.editor', 'submodule.*.update', 'tar.*.command', 'trailer.*.cmd', 'trailer.*.command'],
    ['uploadpack.packobjectshook'],
  ].flat(),
);
/** Sections each of whose settings is a command. */
const SECTIONS: ReadonlySet<string> = new Set(['alias', 'pager']);
const MOST_FILES = 16;

/**
 * The places of a project, which has a whole path, that git's settings name: those of the repository that
 * the project is, of the one that it is a worktree or a part of, and of the files that these include. A `~`
 * stands for the home that is given. Reads no more than 256 KiB of each, and sixteen of them.
 */
export function namedPlaces(project: BytePath, home: BytePath): readonly RiskPlace[] {
  const found: RiskPlace[] = [];
  const repository = gitFolderAround(project);
  if (repository === undefined) return found;
  const { top, settings } = repository;
  const waiting = [...settings];
  const add = (path: BytePath, risk: RiskPlace['risk']): void => {
    const place = placeIn(project, path);
    if (place !== undefined) found.push({ path: place, risk });
  };
  const addFolder = (path: BytePath): void => {
    // Not all of a project is a hook if hooks stand at its top.
    if (path === project) for (const hook of HOOKS) found.push({ path: hook, risk: 'git_hooks' });
    else add(path, 'git_hooks');
  };
  const named = (folder: BytePath, text: string): BytePath =>
    text.startsWith('~/')
      ? wholePath(home, pathOfText(text.slice('~/'.length)))
      : wholePath(folder, pathOfText(text));
  for (let at = 0; at < waiting.length && at < MOST_FILES; at += 1) {
    const file = waiting[at] ?? top;
    for (const { name, value } of gitSettings(startOfFile(file) ?? '')) {
      const key = keyOf(name);
      if (key === 'include.path' || key === 'includeif.*.path') {
        const included = named(split(file).folder, value);
        waiting.push(included);
        add(included, 'git_settings');
      } else if (OBEYED.has(key)) add(named(top, value), 'git_settings');
      else if (FOLDERS.has(key)) addFolder(named(top, value));
      else if (COMMANDS.has(key) || SECTIONS.has(key.slice(0, key.indexOf('.'))))
        for (const word of pathsOf(value)) add(named(top, word), 'git_hooks');
    }
  }
  return found;
}

/** The name of a setting without the part that is anyone's. */
function keyOf(name: string): string {
  const [first, last] = [name.indexOf('.'), name.lastIndexOf('.')];
  return first === last ? name : `${name.slice(0, first)}.*${name.slice(last)}`;
}

/** The project's own folder, as commands name it. */
const HERE = /\$\([^()]*\)|\$\{?(?:PWD|GIT_WORK_TREE)\b\}?/g;
const BETWEEN = /[\s"'`;&|<>()=!]+/;

/**
 * The words of a command that may name a file: a first one without a slash is looked for elsewhere. More than
 * it runs is better than less, since a person is asked, and nothing else happens.
 */
function pathsOf(command: string): readonly string[] {
  const words = command.replaceAll(HERE, '.').split(BETWEEN);
  const all = words.filter((word) => word !== '');
  return all.filter((word, at) => word.includes('/') || (at > 0 && !/^[-%]/.test(word)));
}
