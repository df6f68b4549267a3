import type { Change } from '../diff/change.js';
import { type BytePath, isAtOneOf, isBelow, joined, namesOf, pathOfText, split } from '../files/byte-path.js';
import { foldedNames } from './folded.js';

/**
 * Reasons to ask before a change is taken over: other programs run the file, or take orders from it.
 * - `repository`: a git repository that the world has made;
 * - `git_hooks`, `git_settings`: git, or a tool that git starts, runs or obeys it;
 * - `ci`: machines elsewhere run it, with keys of their own;
 * - `package`: an installer or a script runner obeys it;
 * - `agent_settings`: it starts servers and hooks of an agent;
 * - `agent_orders`: agents read it as orders;
 * - `editor`: an editor runs or obeys it when the folder is opened;
 * - `shell`: a shell obeys it on its way into the folder, or when it starts;
 * - `build`: a build tool runs it;
 * - `policy`: this gateway obeys it;
 * - `executable`: a file that could not be run, and can be now.
 */
export type Risk =
  | 'repository'
  | 'git_hooks'
  | 'git_settings'
  | 'ci'
  | 'package'
  | 'agent_settings'
  | 'agent_orders'
  | 'editor'
  | 'shell'
  | 'build'
  | 'policy'
  | 'executable';

/** The sentence for people about each. */
export const RISK_WORDS: Readonly<Record<Risk, string>> = {
  repository: 'a new git repository, whose own hooks and settings git obeys',
  git_hooks: 'git runs it',
  git_settings: 'git obeys it, and it can name programs that git runs',
  ci: 'CI runs it, with its own keys',
  package: 'package managers obey it, and run its scripts',
  agent_settings: 'agents obey it, and it can name programs that they run',
  agent_orders: 'agents take orders from it',
  editor: 'editors obey it, and it can name programs that they run',
  shell: 'shells run it',
  build: 'build tools run it',
  policy: 'the gateway obeys it',
  executable: 'it can be run as a program now',
};

/** A path of one project that has a risk of its own, as a folder of hooks that its settings name. */
export interface RiskPlace {
  readonly path: BytePath;
  readonly risk: Risk;
}

/** Names that have a risk in any folder, with all that stands below them. */
const ANYWHERE: readonly (readonly [Risk, readonly string[]])[] = [
  ['git_settings', ['.gitmodules', '.gitconfig']],
  [
    'git_hooks',
    [
      '.githooks',
      '.husky',
      '.lefthook',
      '.lintstagedrc',
      '.pre-commit-config.yaml',
      '.pre-commit-config.yml',
      'lefthook.yaml',
      'lefthook.yml',
    ],
  ],
  [
    'package',
    [
      '.bunfig.toml',
      '.cargo',
      '.npmrc',
      '.pnpmfile.cjs',
      '.pypirc',
      '.yarn',
      '.yarnrc',
      '.yarnrc.yml',
      'bunfig.toml',
      'composer.json',
      'package.json',
      'pip.conf',
      'pnpm-workspace.yaml',
      'pyproject.toml',
      'setup.cfg',
      'setup.py',
    ],
  ],
  [
    'agent_settings',
    [
      '.agents',
      '.aider.conf.yml',
      '.amazonq',
      '.claude',
      '.claude.json',
      '.claude-plugin',
      '.cline',
      '.codex',
      '.continue',
      '.cursor',
      '.gemini',
      '.junie',
      '.kiro',
      '.mcp.json',
      '.opencode',
      '.roo',
      '.windsurf',
      'mcp.json',
      'opencode.json',
      'opencode.jsonc',
    ],
  ],
  [
    'agent_orders',
    [
      '.clinerules',
      '.cursorrules',
      '.roorules',
      '.windsurfrules',
      'agent.md',
      'agents.md',
      'agents.override.md',
      'claude.local.md',
      'claude.md',
      'copilot-instructions.md',
      'gemini.md',
      'skill.md',
    ],
  ],
  [
    'editor',
    [
      '.devcontainer',
      '.devcontainer.json',
      '.dir-locals.el',
      '.exrc',
      '.fleet',
      '.idea',
      '.nvim.lua',
      '.nvimrc',
      '.vimrc',
      '.vscode',
      '.zed',
    ],
  ],
  [
    'shell',
    [
      '.bash_aliases',
      '.bash_login',
      '.bash_logout',
      '.bash_profile',
      '.bashrc',
      '.cshrc',
      '.envrc',
      '.inputrc',
      '.kshrc',
      '.login',
      '.mise.toml',
      '.profile',
      '.ssh',
      '.tcshrc',
      '.tool-versions',
      '.xprofile',
      '.xsession',
      '.zlogin',
      '.zprofile',
      '.zshenv',
      '.zshrc',
      'mise.toml',
    ],
  ],
  [
    'build',
    [
      'build.gradle',
      'build.gradle.kts',
      'build.rs',
      'compose.yaml',
      'compose.yml',
      'containerfile',
      'dockerfile',
      'flake.nix',
      'gnumakefile',
      'gradlew',
      'justfile',
      'makefile',
      'mvnw',
      'procfile',
      'rakefile',
      'shell.nix',
      'taskfile.yaml',
      'taskfile.yml',
      'vagrantfile',
    ],
  ],
  ['policy', ['.subluminal.yaml']],
];

/** Names that have a risk in the project's own folder alone, since nobody looks for them elsewhere. */
const AT_ROOT: readonly (readonly [Risk, readonly string[]])[] = [
  [
    'ci',
    [
      '.appveyor.yml',
      '.azure-pipelines',
      '.buildkite',
      '.ci',
      '.circleci',
      '.cirrus.yml',
      '.drone.yml',
      '.forgejo',
      '.gitea',
      '.github',
      '.gitlab',
      '.gitlab-ci.yml',
      '.semaphore',
      '.teamcity',
      '.travis.yml',
      '.woodpecker',
      '.woodpecker.yaml',
      '.woodpecker.yml',
      'appveyor.yml',
      'azure-pipelines.yml',
      'bitbucket-pipelines.yml',
      'cloudbuild.yaml',
      'cloudbuild.yml',
      'jenkinsfile',
    ],
  ],
];

/** In a repository of git: what git itself runs or obeys. */
const IN_GIT: ReadonlyMap<string, Risk> = new Map([
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
const IN_INFO: ReadonlySet<string> = new Set(['alternates', 'http-alternates', 'attributes']);
const BUILD_BEGINS = ['dockerfile.', 'docker-compose', 'makefile.'];
const BUILD_ENDS = ['.dockerfile', '.mk'];
/** Installers fill this folder. It is the program's own code, and nobody looks there for settings. */
const INSTALLED = 'node_modules';
const EXECUTABLE = 0o111;

/** Knows the risks of the changes of one diff. */
export class Risks {
  /** Folders that are repositories, and were none. */
  readonly #repositories: ReadonlySet<BytePath>;
  readonly #places: readonly RiskPlace[];
  readonly #anywhere = named(ANYWHERE);
  readonly #atRoot = named(AT_ROOT);

  constructor(changes: readonly Change[], places: readonly RiskPlace[]) {
    this.#repositories = new Set(newRepositories(changes));
    this.#places = places;
  }

  /** In the order of the union; none for a change that nobody has to be asked about. */
  of(change: Change): readonly Risk[] {
    const found = new Set([
      ...this.#ofNames(change.path),
      ...(isAtOneOf(change.path, this.#repositories) ? (['repository'] as const) : []),
      ...this.#places.flatMap(({ path, risk }) => (isAt(change.path, path) ? [risk] : [])),
      ...(becomesExecutable(change) && !isInstalled(change.path) ? (['executable'] as const) : []),
    ]);
    return ORDER.filter((risk) => found.has(risk));
  }

  #ofNames(path: BytePath): readonly Risk[] {
    const names = foldedNames(path);
    const inGit = riskInGit(names);
    if (inGit !== undefined) return [inGit];
    if (isInstalled(path)) return [];
    const root = this.#atRoot.get(names[0] ?? '');
    const found = names.flatMap((name) => this.#anywhere.get(name) ?? []);
    const last = names.at(-1) ?? '';
    const isBuild =
      BUILD_BEGINS.some((begin) => last.startsWith(begin)) || BUILD_ENDS.some((end) => last.endsWith(end));
    return [...(root === undefined ? [] : [root]), ...found, ...(isBuild ? (['build'] as const) : [])];
  }
}

const ORDER: readonly Risk[] = [
  'repository',
  'git_hooks',
  'git_settings',
  'ci',
  'package',
  'agent_settings',
  'agent_orders',
  'editor',
  'shell',
  'build',
  'policy',
  'executable',
];

/** The risk of a path by its names alone, for one folder of settings that a link stands for. */
export function riskOfName(path: BytePath): Risk | undefined {
  return new Risks([], []).of({ path, how: 'added', before: undefined, after: undefined, isStale: false })[0];
}

function named(all: readonly (readonly [Risk, readonly string[]])[]): ReadonlyMap<string, Risk> {
  return new Map(all.flatMap(([risk, names]) => names.map((name) => [name, risk] as const)));
}

/** Of a repository in any folder, and of those of its submodules and worktrees, which stand in it. */
function riskInGit(names: readonly string[]): Risk | undefined {
  const at = names.indexOf('.git');
  if (at === -1) return undefined;
  const inside = names.slice(at + 1);
  // A file of that name leads git to a folder, with settings of its own.
  if (inside.length === 0) return 'git_settings';
  if (inside[0] === 'modules' || inside[0] === 'worktrees') {
    // The name of a submodule may have slashes.
    const own = inside.slice(1).map((name) => IN_GIT.get(name));
    return own.find((risk) => risk !== undefined) ?? inInfo(inside);
  }
  return IN_GIT.get(inside[0] ?? '') ?? inInfo(inside);
}

function inInfo(inside: readonly string[]): Risk | undefined {
  return inside.at(-2) === 'info' && IN_INFO.has(inside.at(-1) ?? '') ? 'git_settings' : undefined;
}

/** Folders that have become a repository: `.git` is new, or a head and settings stand side by side. */
function newRepositories(changes: readonly Change[]): readonly BytePath[] {
  const added = changes.filter(({ how }) => how === 'added' || how === 'replaced');
  const paths = new Set(added.map(({ path }) => path));
  const settings = pathOfText('config');
  return added.flatMap(({ path }) => {
    const name = foldedNames(path).at(-1);
    if (name === '.git') return [path];
    const { folder } = split(path);
    const isBare = name === 'head' && folder !== '' && paths.has(joined(folder, settings));
    return isBare && !foldedNames(folder).includes('.git') ? [folder] : [];
  });
}

function becomesExecutable({ before, after }: Change): boolean {
  if (after?.kind !== 'file' || (after.mode & EXECUTABLE) === 0) return false;
  return before?.kind !== 'file' || (before.mode & EXECUTABLE) === 0;
}

function isInstalled(path: BytePath): boolean {
  return namesOf(path).some((name) => name === INSTALLED);
}

function isAt(path: BytePath, place: BytePath): boolean {
  return path === place || isBelow(path, place);
}
