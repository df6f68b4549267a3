import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Change, FileState } from '../diff/change.js';
import { pathOfText } from '../files/byte-path.js';
import { Folder } from '../files/folder.js';
import { NO_REPOSITORIES, repositoriesOf } from './repositories.js';
import { type Risk, RISK_WORDS } from './risk.js';
import { Risks } from './risks.js';

const state = (mode: number, kind: FileState['kind'] = 'file'): FileState => ({
  kind,
  mode,
  size: 0,
  inode: 1n,
  changedAt: 0n,
  modifiedAt: 0n,
  sha256: undefined,
  target: undefined,
});

const changed = (path: string, before: FileState | undefined, after: FileState | undefined): Change => ({
  path: pathOfText(path),
  how: before === undefined ? 'added' : 'modified',
  before,
  after,
  isStale: false,
});

const risksOf = (path: string): readonly Risk[] =>
  new Risks([], NO_REPOSITORIES).of(changed(path, state(0o644), state(0o644)));

/** The risks of new things, beside what the project has. */
const besides = (
  there: readonly string[],
  paths: readonly string[],
): { readonly risks: Risks; readonly all: readonly Change[] } => {
  const root = mkdtempSync('/var/tmp/sub-risks-');
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const path of there) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), '');
  }
  const project = Folder.open(root);
  onTestFinished(() => project.close());
  const all = paths.map((path) => changed(path, undefined, state(0o644)));
  return { risks: new Risks([], repositoriesOf(all, project)), all };
};

describe('the risks of a change', () => {
  it.each<readonly [string, Risk]>([
    ['.git/hooks/pre-commit', 'git_hooks'],
    ['.git/config', 'git_settings'],
    ['.git/config.worktree', 'git_settings'],
    ['.git/info/attributes', 'git_settings'],
    ['.git/objects/info/alternates', 'git_settings'],
    ['.git/rebase-merge/git-rebase-todo', 'git_settings'],
    ['.git/modules/libs/x/hooks/post-checkout', 'git_hooks'],
    ['.git/worktrees/w/commondir', 'git_settings'],
    ['vendor/x/.git/config', 'git_settings'],
    ['vendor/x/.git', 'git_settings'],
    ['.gitmodules', 'git_settings'],
    ['.husky/_/pre-push', 'git_hooks'],
    ['.github/workflows/ci.yml', 'ci'],
    ['.gitlab-ci.yml', 'ci'],
    ['Jenkinsfile', 'ci'],
    ['package.json', 'package'],
    ['apps/web/package.json', 'package'],
    ['.npmrc', 'package'],
    ['.mcp.json', 'agent_settings'],
    ['.claude/settings.json', 'agent_settings'],
    ['.codex/config.toml', 'agent_settings'],
    ['CLAUDE.md', 'agent_orders'],
    ['docs/AGENTS.md', 'agent_orders'],
    ['.vscode/tasks.json', 'editor'],
    ['.claude/commands/node_modules/deploy.md', 'agent_settings'],
    ['.husky/node_modules/x', 'git_hooks'],
    ['node_modules/x/.git/hooks/y', 'git_hooks'],
    ['.devcontainer/devcontainer.json', 'editor'],
    ['.envrc', 'shell'],
    ['.bashrc', 'shell'],
    ['Makefile', 'build'],
    ['docker/Dockerfile.dev', 'build'],
    ['rules.mk', 'build'],
    ...(
      [
        [
          'package',
          'Cargo.toml Gemfile pyproject.toml setup.py .yarnrc.yml .pnpmfile.cjs yarn.lock x.gemspec go.mod',
        ],
        [
          'build',
          'build.rs settings.gradle settings.gradle.kts build.gradle x/y.gradle.kts pom.xml .mvn/extensions.xml',
        ],
        [
          'build',
          'CMakeLists.txt conftest.py tox.ini noxfile.py justfile Taskfile.yml Rakefile app/vite.config.mjs',
        ],
        [
          'build',
          'jest.config.js webpack.config.cjs playwright.config.ts karma.conf.js .eslintrc.cjs gulpfile.js .env',
        ],
        ['build', 'x.csproj Directory.Build.props docker-compose.override.yml compose.yaml'],
        ['editor', 'x.code-workspace .idea/workspace.xml .run/x.xml .devcontainer/x'],
        [
          'git_hooks',
          'lefthook.yml .lefthook.toml lefthook-local.yml .pre-commit-config.yaml .lintstagedrc.json',
        ],
        ['agent_orders', 'QWEN.md sub/.rules WARP.md'],
        ['shell', '.envrc .Rprofile .gdbinit .iex.exs'],
        ['ci', 'netlify.toml buildspec.yml'],
      ] as const
    ).flatMap(([risk, paths]) => paths.split(' ').map((path) => [path, risk] as const)),
    ['.subluminal.yaml', 'policy'],
  ])('of `%s` is `%s`', (path, risk) => {
    expect(risksOf(path)).toEqual([risk]);
    expect(RISK_WORDS[risk]).not.toBe('');
  });

  it.each([
    'src/index.ts',
    'README.md',
    '.git/refs/heads/main',
    '.git/objects/ab/cdef',
    '.git/index',
    'docs/.gitlab-ci.yml',
    'node_modules/x/package.json',
    'node_modules/x/Makefile',
    '.gitignore',
    'package.json.d/x',
  ])('of `%s` are none', (path) => {
    expect(risksOf(path)).toEqual([]);
  });

  it.each([
    '.GIT/Hooks/x',
    '.g\u200Cit/hooks/x',
    'GIT~1/hooks/x',
    '.git. /hooks/x',
    '.git::$INDEX_ALLOCATION/hooks/x',
  ])('of `%s` are those of `.git/hooks`, since some file systems take it for that', (path) => {
    expect(risksOf(path)).toEqual(['git_hooks']);
  });

  it('tell of a file that can be run now, and of none that could be before', () => {
    const risks = new Risks([], NO_REPOSITORIES);
    expect(risks.of(changed('run', undefined, state(0o755)))).toEqual(['executable']);
    expect(risks.of(changed('run', state(0o644), state(0o744)))).toEqual(['executable']);
    expect(risks.of(changed('run', state(0o755), state(0o755)))).toEqual([]);
    expect(risks.of(changed('run', state(0o755), undefined))).toEqual([]);
    expect(risks.of(changed('folder', undefined, state(0o755, 'folder')))).toEqual([]);
  });

  it.each<readonly [string, readonly string[], readonly string[], readonly string[]]>([
    [
      'all of a repository that is new, with and without `.git`',
      [],
      [
        'sub/.git',
        'sub/.git/HEAD',
        'bare',
        'bare/HEAD',
        'bare/config',
        'bare/objects',
        'other',
        'other/HEAD',
      ],
      ['sub/.git', 'sub/.git/HEAD', 'bare', 'bare/HEAD', 'bare/config', 'bare/objects'],
    ],
    ['one without settings', [], ['b/HEAD', 'b/objects', 'b/refs'], ['b/HEAD', 'b/objects', 'b/refs']],
    ['one whose settings stand elsewhere', [], ['b/HEAD', 'b/commondir'], ['b/HEAD', 'b/commondir']],
    [
      'one whose other parts the project has',
      ['b/config', 'b/objects/x'],
      ['b/HEAD', 'b/f'],
      ['b/HEAD', 'b/f'],
    ],
    [
      'one whose head the project has',
      ['b/HEAD', 'b/refs/x'],
      ['b/objects', 'b/objects/y'],
      ['b/objects', 'b/objects/y'],
    ],
    [
      'a `.git` that was none',
      ['s/.git/description'],
      ['s/.git/HEAD', 's/.git/commondir'],
      ['s/.git/HEAD', 's/.git/commondir'],
    ],
    ['the project’s own folder', ['objects/x', 'refs/y'], ['HEAD', 'src/a'], ['HEAD']],
    ['one of another case', ['b/objects/x', 'b/refs/y'], ['b/Head'], ['b/Head']],
    [
      'none that is one already',
      ['b/HEAD', 'b/config'],
      ['b/objects/x', '.git/logs/HEAD', '.git/logs/refs/x'],
      [],
    ],
  ])('tell of %s', (_, there, changes, asked) => {
    const { risks, all } = besides(there, changes);
    expect(all.filter((change) => risks.of(change).includes('repository')).map(({ path }) => path)).toEqual(
      asked,
    );
  });

  it('are those of `.git` in a repository that is called otherwise', () => {
    const { risks, all } = besides(
      ['b.git/HEAD', 'b.git/config'],
      ['b.git/config', 'b.git/hooks/x', 'b.git/refs/y'],
    );
    expect(all.map((change) => risks.of(change))).toEqual([['git_settings'], ['git_hooks'], []]);
  });

  it('are those of a place that the project gives its own', () => {
    const risks = new Risks([{ path: pathOfText('tools/hooks'), risk: 'git_hooks' }], NO_REPOSITORIES);
    expect(risks.of(changed('tools/hooks/pre-commit', undefined, state(0o644)))).toEqual(['git_hooks']);
    expect(risks.of(changed('tools/hooks2', undefined, state(0o644)))).toEqual([]);
  });
});
