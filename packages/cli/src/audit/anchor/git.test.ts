import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifierKey } from '@subluminal/core-types';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { anchorInGit, readGitAnchors } from './git.js';

const log = verifierKey('subluminal/test', 'log', generateKeyPairSync('ed25519').publicKey);

let folder: string;
let repository: string;
const git = (...args: string[]) =>
  execFileSync('git', ['-C', repository, ...args], { encoding: 'utf8' }).trim();

/** A repository whose branch of checkpoints holds `text`. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sub-git-'));
  repository = join(folder, 'repository');
  execFileSync('git', ['init', '-q', '-b', log.name, '--', repository]);
  commit('text\n');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function commit(text: string): void {
  writeFileSync(join(repository, 'checkpoints'), text);
  git('add', 'checkpoints');
  git('-c', 'user.name=n', '-c', 'user.email=e@example.com', 'commit', '-q', '-m', 'one more');
}

describe('a repository that somebody else has prepared', () => {
  it('runs nothing, and reaches nothing, for an object that it lacks', async () => {
    const blob = git('rev-parse', 'HEAD:checkpoints');
    rmSync(join(repository, '.git', 'objects', blob.slice(0, 2), blob.slice(2)));
    const marker = join(folder, 'ran');
    for (const [name, value] of [
      ['core.repositoryformatversion', '1'],
      ['extensions.partialClone', 'origin'],
      ['remote.origin.promisor', 'true'],
      ['remote.origin.url', `ext::sh -c touch% ${marker}`],
      ['protocol.ext.allow', 'always'],
    ] as const)
      git('config', name, value);
    await expect(readGitAnchors(repository, log)).rejects.toMatchObject({ code: 'failed' });
    const fresh = { origin: log.name, size: 1, root: '0'.repeat(64), note: 'note' };
    await expect(anchorInGit(repository, fresh, log)).rejects.toMatchObject({ code: 'failed' });
    expect(existsSync(marker)).toBe(false);
  });

  it('shows what was committed, and not what was put in its place', async () => {
    const real = git('rev-parse', 'HEAD:checkpoints');
    writeFileSync(join(folder, 'other'), 'other\n');
    git('replace', real, git('hash-object', '-w', join(folder, 'other')));
    expect(await readGitAnchors(repository, log)).toBe('text\n');
  });
});
