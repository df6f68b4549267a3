import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { SublError, type VerifierKey } from '@subluminal/core-types';
import { assertContinues } from './known.js';
import type { Fresh, Placed } from './place.js';
import { runProgram } from './program.js';

const TIMEOUT_MS = 30_000;
const FILE = 'checkpoints';

/** Whatever the repository and the user have configured, only these programs and files take part. */
const ENVIRONMENT = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  LANG: 'C.UTF-8',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  // A partial clone fetches what it lacks, with a program that its own settings name.
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_LAZY_FETCH: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_AUTHOR_NAME: 'subluminal',
  GIT_AUTHOR_EMAIL: 'subluminal@localhost',
  GIT_COMMITTER_NAME: 'subluminal',
  GIT_COMMITTER_EMAIL: 'subluminal@localhost',
};
const SETTINGS = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', '-c', 'gc.auto=0'];

/**
 * Commits a checkpoint to a branch of its own, `subluminal/<ledger id>`, whose one file holds all of them.
 * Neither the work tree, nor the index, nor any other branch is touched; no hook or filter runs, and nothing
 * is pushed.
 *
 * @throws SublError `failed`, `timed_out`, `ledger_corrupt`.
 */
export async function anchorInGit(repository: string, fresh: Fresh, log: VerifierKey): Promise<Placed> {
  const target = folderOf(repository);
  const ref = refOf(log);
  const parent = await tipOf(target, ref);
  const known = parent === undefined ? '' : await checkpointsAt(target, parent);
  assertContinues(known, log, fresh, `the branch of \`${target}\``);
  const blob = await git(target, ['hash-object', '-w', '--no-filters', '--stdin'], `${known}${fresh.note}`);
  const tree = await git(target, ['mktree'], `100644 blob ${blob}\t${FILE}\n`);
  const message = `checkpoint of ${fresh.origin} with ${fresh.size} entries`;
  const onto = parent === undefined ? [] : ['-p', parent];
  const commit = await git(target, ['commit-tree', '--no-gpg-sign', ...onto, '-m', message, tree]);
  // The old value is given: two at once do not lose one of them.
  await git(target, ['update-ref', ref, commit, parent ?? '0'.repeat(commit.length)]);
  return { kind: 'git', target, evidence: { commit, ref } };
}

/**
 * The checkpoints of a ledger's branch; undefined where there is no such branch. Throws `failed` for no
 * repository.
 */
export async function readGitAnchors(repository: string, log: VerifierKey): Promise<string | undefined> {
  const tip = await tipOf(repository, refOf(log));
  return tip === undefined ? undefined : checkpointsAt(repository, tip);
}

function folderOf(repository: string): string {
  const target = resolve(repository);
  if (statSync(target, { throwIfNoEntry: false })?.isDirectory() === true) return target;
  throw new SublError('failed', `\`${target}\` is not a folder`, { help: 'name a git repository' });
}

function refOf(log: VerifierKey): string {
  return `refs/heads/${log.name}`;
}

async function tipOf(folder: string, ref: string): Promise<string | undefined> {
  const found = await run(folder, [
    'rev-parse',
    '--verify',
    '--quiet',
    '--end-of-options',
    `${ref}^{commit}`,
  ]);
  if (found.code === 0) return found.stdout.toString('utf8').trim();
  // 1: no such branch. Anything else: no repository, or one that git does not trust.
  if (found.code === 1) return undefined;
  throw notUsable(folder, 'rev-parse', found.stderr);
}

async function checkpointsAt(folder: string, commit: string): Promise<string> {
  const { code, stdout, stderr } = await run(folder, ['cat-file', 'blob', `${commit}:${FILE}`]);
  if (code === 0) return stdout.toString('utf8');
  throw notUsable(folder, 'cat-file', stderr);
}

async function git(folder: string, args: readonly string[], input = ''): Promise<string> {
  const { code, stdout, stderr } = await run(folder, args, input);
  if (code === 0) return stdout.toString('utf8').trim();
  throw notUsable(folder, args[0] ?? '', stderr);
}

function notUsable(folder: string, what: string, stderr: string): SublError {
  return new SublError('failed', `\`git ${what}\` failed in \`${folder}\`: ${stderr}`, {
    help: 'the folder must be a git repository of yours',
  });
}

function run(folder: string, args: readonly string[], input = ''): ReturnType<typeof runProgram> {
  // The folder is where it runs and never an argument: no name of it is taken for an option.
  const all = ['--no-pager', ...SETTINGS, ...args];
  return runProgram({
    command: 'git',
    args: all,
    cwd: folder,
    env: ENVIRONMENT,
    input,
    timeoutMs: TIMEOUT_MS,
  });
}
