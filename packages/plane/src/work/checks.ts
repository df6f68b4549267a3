import { type Command, commandOf } from './command.js';

const set = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Programs that do nothing but look whether the work is right. */
const PROGRAMS = set(
  'pytest tox nox vitest jest mocha ava tsc eslint oxlint biome ruff mypy flake8 pylint golangci-lint staticcheck ctest phpunit rspec rubocop shellcheck',
);
const VERBS: Readonly<Record<string, ReadonlySet<string>>> = {
  npm: set('test t'),
  yarn: set('test'),
  pnpm: set('test t'),
  go: set('test vet build'),
  cargo: set('test check clippy build'),
  deno: set('test check lint'),
  bun: set('test'),
  make: set('test check lint'),
  gradle: set('test check build'),
  mvn: set('test verify'),
};
/** Scripts of a project, by what their names say. */
const SCRIPT = /^(?:test|tests|check|lint|type-?check|types|tsc|verify|ci)(?:$|[:_-])/;
const RUNS = set('npm yarn pnpm bun');

/** One command alone: of a pipe, a list or a job in the background the end says nothing of the check. */
const ALONE = /^(?:cd [^|;&\n]{1,256}&& *)?[^|;&\n`$<>]{1,512}$/;

/**
 * Whether a command checks the work, and its end says how that went. Narrower than the kind of work `check`:
 * a gate opens by it, so a command that may do anything else is none.
 */
export function checksWork(text: string): boolean {
  if (!ALONE.test(text)) return false;
  const command = commandOf(text);
  return command !== undefined && isCheck(command);
}

function isCheck({ program, verb, words }: Command): boolean {
  if (PROGRAMS.has(program)) return true;
  if (program === 'node') return words[0] === '--test';
  if (program === 'python' || program === 'python3')
    return words[0] === '-m' && (words[1] === 'pytest' || words[1] === 'unittest');
  if (RUNS.has(program) && verb === 'run') {
    const script = words[words.indexOf('run') + 1] ?? '';
    return SCRIPT.test(script);
  }
  return Object.hasOwn(VERBS, program) && VERBS[program]?.has(verb) === true;
}
