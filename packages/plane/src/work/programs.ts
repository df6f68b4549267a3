import type { Command } from './command.js';
import type { WorkKind } from './work-kinds.js';

const set = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const LOOKS = set(
  'ls cat head tail less grep egrep rg ag find fd wc tree jq yq diff stat file which type pwd printenv ps du df sed awk sort uniq nl xxd man ping dig host nslookup journalctl date uname echo printf',
);
const CHANGES = set('mkdir mv cp rm rmdir touch tee patch ln chmod chown apply_patch truncate unzip tar');
const CHECKS = set(
  'pytest tox nox vitest jest mocha ava tsc eslint oxlint biome prettier ruff mypy black flake8 pylint golangci-lint gofmt staticcheck ctest make ninja cmake gradle mvn node deno bun python python3 ruby perl php java tsx ts-node phpunit rspec rubocop shellcheck',
);
const DELIVERS = set('helm ansible-playbook vercel netlify flyctl fly twine skopeo rsync scp');

/** Programs whose first word says what they do. */
const BY_VERB: Readonly<Record<string, Readonly<Partial<Record<WorkKind, ReadonlySet<string>>>>>> = {
  git: {
    explore: set('log show diff status blame branch rev-parse ls-files remote grep describe shortlog reflog'),
    change: set('apply checkout restore rebase merge cherry-pick revert stash switch reset clean mv rm'),
    deliver: set('add commit push tag'),
  },
  gh: { explore: set('api search'), deliver: set('release') },
  npm: {
    explore: set('view info ls list outdated audit why search'),
    change: set('install i add ci update uninstall remove init'),
    check: set('test t run exec start pack'),
    deliver: set('publish deprecate dist-tag'),
  },
  go: {
    explore: set('doc list version env'),
    change: set('get mod generate install'),
    check: set('test build vet run'),
  },
  cargo: {
    explore: set('tree search metadata'),
    change: set('add remove update new init fix'),
    check: set('test build check clippy fmt run bench'),
    deliver: set('publish'),
  },
  pip: { explore: set('show list freeze index'), change: set('install uninstall') },
  docker: {
    explore: set('ps logs images inspect stats'),
    check: set('build run compose exec'),
    deliver: set('push'),
  },
  kubectl: {
    explore: set('get logs describe top explain'),
    deliver: set('apply rollout delete scale patch create replace set'),
  },
  terraform: {
    explore: set('state output show providers version'),
    check: set('plan validate fmt init'),
    deliver: set('apply destroy import'),
  },
};

const SAME_AS: Readonly<Record<string, string>> = {
  yarn: 'npm',
  pnpm: 'npm',
  pip3: 'pip',
  podman: 'docker',
  tofu: 'terraform',
};

const GH_LOOKS = set('view list diff checks status watch');

/** The kind of work that a command is. */
export function kindOfCommand({ program, verb, words }: Command): WorkKind {
  if (program === 'sed')
    return words.some((word) => /^(?:-[a-zA-Z]*i|--in-place)/.test(word)) ? 'change' : 'explore';
  if (program === 'curl' || program === 'wget') return sends(words) ? 'other' : 'explore';
  if (program === 'gh' && !Object.hasOwn(BY_VERB['gh'] ?? {}, verb)) {
    const second = words.filter((word) => !word.startsWith('-'))[1] ?? '';
    return GH_LOOKS.has(second) || BY_VERB['gh']?.explore?.has(verb) === true ? 'explore' : 'deliver';
  }
  const name = Object.hasOwn(SAME_AS, program) ? (SAME_AS[program] ?? program) : program;
  const verbs = Object.hasOwn(BY_VERB, name) ? BY_VERB[name] : undefined;
  if (verbs !== undefined) {
    for (const kind of ['explore', 'change', 'check', 'deliver'] as const)
      if (verbs[kind]?.has(verb) === true) return kind;
    return 'other';
  }
  if (LOOKS.has(name)) return 'explore';
  if (CHANGES.has(name)) return 'change';
  if (CHECKS.has(name)) return 'check';
  return DELIVERS.has(name) ? 'deliver' : 'other';
}

function sends(words: readonly string[]): boolean {
  return words.some((word) => /^(?:-X|--request|-d|--data|-F|--form|-T|--upload-file|--post)/.test(word));
}
