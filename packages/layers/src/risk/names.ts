import type { Risk } from './risk.js';

/**
 * Names that other programs run or obey: the risk, whose they are, and the names, in small letters. A `*`
 * stands for anything at the beginning or at the end of a name, and then for files alone; what stands below
 * any other name has its risk, too.
 */
type Row = readonly [Risk, string, string];

/** Names that have a risk in any folder. */
export const ANYWHERE: readonly Row[] = [
  ['git_settings', 'git', '.gitmodules .gitconfig .lfsconfig'],
  ['git_hooks', 'hooks kept in a project', '.githooks .husky .huskyrc* .overcommit.yml'],
  ['git_hooks', 'lefthook', '.lefthook .lefthook.* lefthook.* lefthook-local.*'],
  ['git_hooks', 'pre-commit', '.pre-commit-config.yaml .pre-commit-config.yml .pre-commit-hooks.yaml'],
  ['git_hooks', 'lint-staged', '.lintstagedrc*'],

  ['package', 'npm', 'package.json package-lock.json npm-shrinkwrap.json .npmrc'],
  ['package', 'yarn', '.yarn .yarnrc .yarnrc.yml yarn.lock'],
  ['package', 'pnpm', '.pnpmfile.cjs .pnpmfile.mjs pnpm-workspace.yaml pnpm-lock.yaml'],
  [
    'package',
    'bun, deno',
    '.bunfig.toml bunfig.toml bun.lock bun.lockb deno.json deno.jsonc deno.lock jsr.json',
  ],
  ['package', 'python', 'pyproject.toml setup.py setup.cfg pip.conf .pypirc pipfile pipfile.lock'],
  ['package', 'python', 'requirements.txt requirements-dev.txt poetry.lock uv.toml uv.lock pixi.toml'],
  ['package', 'rust', '.cargo cargo.toml cargo.lock rust-toolchain rust-toolchain.toml'],
  ['package', 'go', 'go.mod go.sum go.work'],
  ['package', 'ruby', '.bundle gemfile gemfile.lock gems.rb *.gemspec'],
  ['package', 'php', 'composer.json composer.lock'],
  ['package', '.net', 'nuget.config global.json dotnet-tools.json'],
  ['package', 'others', 'conanfile.* vcpkg.json podfile package.swift pubspec.yaml mix.exs rebar.config'],

  ['agent_settings', 'servers of MCP', '.mcp.json mcp.json'],
  ['agent_settings', 'claude, codex, gemini', '.claude .claude.json .claude-plugin .codex .gemini .agents'],
  [
    'agent_settings',
    'opencode, crush',
    '.opencode opencode.json opencode.jsonc .crush crush.json .crush.json',
  ],
  [
    'agent_settings',
    'agents of editors',
    '.cursor .windsurf .cline .continue .roo .junie .kiro .trae .augment',
  ],
  ['agent_settings', 'others', '.aider.conf.yml .amazonq .factory .goose .openhands .qwen'],

  ['agent_orders', 'most', 'agent.md agents.md agents.override.md skill.md'],
  ['agent_orders', 'claude, gemini, qwen', 'claude.md claude.local.md gemini.md qwen.md'],
  [
    'agent_orders',
    'agents of editors',
    '.clinerules .cursorrules .roorules .windsurfrules .augment-guidelines',
  ],
  ['agent_orders', 'others', 'copilot-instructions.md crush.md warp.md .goosehints .rules'],

  [
    'editor',
    'vs code and its kin',
    '.vscode .devcontainer .devcontainer.json *.code-workspace .theia devfile.yaml',
  ],
  ['editor', 'jetbrains, eclipse', '.idea .fleet .run .project .classpath .factorypath .settings'],
  ['editor', 'vim', '.exrc .vimrc _vimrc .lvimrc .nvimrc .nvim.lua coc-settings.json .ycm_extra_conf.py'],
  ['editor', 'others', '.dir-locals.el .dir-locals-2.el .zed .helix .clangd *.sublime-project .gitpod.yml'],

  ['shell', 'bash, sh', '.bash_aliases .bash_login .bash_logout .bash_profile .bashrc .profile .inputrc'],
  ['shell', 'zsh', '.zlogin .zlogout .zprofile .zshenv .zshrc'],
  ['shell', 'others', '.cshrc .kshrc .login .tcshrc .xprofile .xsession config.fish .ssh'],
  [
    'shell',
    'on the way into a folder',
    '.envrc .autoenv .autoenv.zsh .mise .mise.toml mise.toml .tool-versions',
  ],
  [
    'shell',
    'interpreters in a folder',
    '.gdbinit .lldbinit .irbrc .pryrc .rprofile .renviron .octaverc .pdbrc',
  ],
  ['shell', 'interpreters in a folder', '.ghci .ocamlinit .iex.exs .psqlrc .sqliterc sitecustomize.py'],

  ['build', 'make, cmake and their kin', 'makefile makefile.* gnumakefile *.mk cmakelists.txt *.cmake'],
  ['build', 'make, cmake and their kin', 'cmakepresets.json meson.build sconstruct configure configure.ac'],
  [
    'build',
    'runners of tasks',
    'justfile .justfile taskfile.yml taskfile.yaml rakefile thorfile procfile procfile.*',
  ],
  [
    'build',
    'runners of tasks',
    'gulpfile.* gruntfile.* jakefile.* noxfile.py tasks.py fabfile.py dodo.py magefile.go',
  ],
  ['build', 'gradle', '*.gradle *.gradle.kts gradlew gradlew.bat gradle.properties gradle-wrapper.*'],
  ['build', 'maven, ant, sbt', 'pom.xml .mvn mvnw mvnw.cmd build.xml build.sbt .sbtopts .jvmopts'],
  ['build', 'bazel and its kin', '.bazelrc *.bzl *.bazel workspace.bzlmod .buckconfig pants.toml'],
  ['build', '.net', '*.csproj *.fsproj *.vbproj *.targets *.props'],
  ['build', 'rust, haskell, nix', 'build.rs setup.hs *.cabal flake.nix shell.nix default.nix'],
  [
    'build',
    'containers',
    'dockerfile dockerfile.* *.dockerfile containerfile compose.* docker-compose* vagrantfile',
  ],
  ['build', 'containers', 'tiltfile earthfile skaffold.yaml devbox.json'],
  [
    'build',
    'settings that are programs',
    '*.config.js *.config.cjs *.config.mjs *.config.ts *.config.cts *.config.mts',
  ],
  [
    'build',
    'settings that are programs',
    '*.conf.js *.conf.cjs *.conf.mjs *.conf.ts vitest.workspace.* knexfile.*',
  ],
  [
    'build',
    'settings that name programs',
    '.babelrc* .eslintrc* .mocharc* .postcssrc* .prettierrc* .stylelintrc*',
  ],
  [
    'build',
    'settings that name programs',
    '.swcrc .parcelrc turbo.json nx.json lerna.json rush.json angular.json',
  ],
  [
    'build',
    'tests and checks',
    'conftest.py tox.ini pytest.ini mypy.ini .pylintrc pylintrc .rspec guardfile',
  ],
  ['build', 'variables of programs', '.env .env.local .env.development .env.production .env.test'],

  ['policy', 'this gateway', '.subluminal.yaml'],
];

/** Names that have a risk in the project's own folder alone, since nobody looks for them elsewhere. */
export const AT_ROOT: readonly Row[] = [
  ['ci', 'github and its kin', '.github .gitea .forgejo .gitlab .gitlab-ci.yml bitbucket-pipelines.yml'],
  ['ci', 'services', '.circleci .travis.yml .appveyor.yml appveyor.yml .cirrus.yml .cirrus.star .semaphore'],
  [
    'ci',
    'services',
    '.azure-pipelines azure-pipelines.yml .buildkite .drone.yml .build.yml .builds wercker.yml',
  ],
  ['ci', 'services', '.woodpecker .woodpecker.yaml .woodpecker.yml .zuul.d .zuul.yaml .ci dagger.json'],
  ['ci', 'servers', 'jenkinsfile .teamcity'],
  [
    'ci',
    'clouds',
    'buildspec.yml cloudbuild.yaml cloudbuild.yml amplify.yml heroku.yml render.yaml fly.toml',
  ],
  ['ci', 'clouds', 'netlify.toml vercel.json wrangler.toml wrangler.jsonc firebase.json serverless.yml'],
];

/** In a repository of git: what git itself runs or obeys. */
export const IN_GIT: ReadonlyMap<string, Risk> = new Map([
  ['commondir', 'git_settings'],
  ['config', 'git_settings'],
  ['config.worktree', 'git_settings'],
  ['gitdir', 'git_settings'],
  ['hooks', 'git_hooks'],
  ['rebase-apply', 'git_settings'],
  ['rebase-merge', 'git_settings'],
  ['sequencer', 'git_settings'],
]);
/** In `objects/info` and `info`: other repositories that are read, and filters that files go through. */
export const IN_INFO: ReadonlySet<string> = new Set(['alternates', 'http-alternates', 'attributes']);
/** Installers fill this folder. It is the program's own code, and nobody looks there for settings. */
export const INSTALLED = 'node_modules';

/** The names of a table, and the beginnings and ends of names, each with its risk. */
export interface Names {
  readonly whole: ReadonlyMap<string, Risk>;
  readonly begins: readonly (readonly [string, Risk])[];
  readonly ends: readonly (readonly [string, Risk])[];
}

/** Reads a table. */
export function namesIn(rows: readonly Row[]): Names {
  const all = rows.flatMap(([risk, , names]) => names.split(' ').map((name) => [name, risk] as const));
  return {
    whole: new Map(all.filter(([name]) => !name.includes('*'))),
    begins: all.flatMap(([name, risk]) => (name.endsWith('*') ? [[name.slice(0, -1), risk] as const] : [])),
    ends: all.flatMap(([name, risk]) => (name.startsWith('*') ? [[name.slice(1), risk] as const] : [])),
  };
}
