import { expect, it } from 'vitest';
import { ran } from '../harness/in-process.js';
import { runSub } from '../harness/sub.js';
import { linesToType, repositoryFiles, textOf } from './pages.js';

const PAGES = repositoryFiles('README.md', 'SECURITY.md', 'ARCHITECTURE.md', 'docs/*.md', 'docs/*/*.md');

/** The flags of every verb, by its name with that of its group; groups have those of `--help`. */
async function flagsOfVerbs(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const { stdout, code } = await runSub(['completion', 'fish']);
  expect(code).toBe(0);
  const flags = new Map<string, Set<string>>();
  for (const line of stdout.split('\n')) {
    const [, seen = ''] = /^complete -c sub (?:-f )?-n '([^']*)'/.exec(line) ?? [];
    const verb = [...seen.matchAll(/(?<!not )__fish_seen_subcommand_from ([\w-]+)/g)]
      .map(([, name]) => name)
      .join(' ');
    const [, flag] = / -l ([\w-]+)/.exec(line) ?? [];
    if (verb === '') continue;
    const known = flags.get(verb) ?? new Set();
    flags.set(verb, known);
    if (flag !== undefined) known.add(`--${flag}`);
  }
  return flags;
}

/** The command lines of `sub` that a page shows, in blocks and in sentences. */
function commandsIn(page: string): readonly string[] {
  const spans = [...page.replaceAll(/^```[^]*?^```$/gm, '').matchAll(/`([^`]+)`/g)].map(([, code = '']) =>
    code.replaceAll(/\s+/g, ' '),
  );
  return [...linesToType(page), ...spans].filter((line) => /^sub [a-z]/.test(line));
}

it('every command in the pages names a verb that exists, and flags that it has', async () => {
  const flags = await flagsOfVerbs();
  expect(flags.size).toBeGreaterThan(60);
  const wrong = PAGES.flatMap((path) =>
    commandsIn(textOf(path)).flatMap((command) => (isKnown(command, flags) ? [] : [`${path}: ${command}`])),
  );
  expect(wrong).toEqual([]);
});

it('every command in the help of `sub` and of each verb names a verb that exists, and flags that it has', async () => {
  const flags = await flagsOfVerbs();
  const asked = [[], ['all'], ...[...flags.keys()].map((verb) => verb.split(' '))];
  const wrong: string[] = [];
  let commands = 0;
  for (const words of asked) {
    const { code, stdout, stderr } = await ran(['help', ...words]);
    if (code !== 0) wrong.push(`help ${words.join(' ')}: ${stderr}`);
    wrong.push(...stdout.split('\n').filter((line) => line.length > 80));
    const text = stdout.replaceAll(/\n +(?!sub )/g, ' ');
    for (const [, quoted, example] of text.matchAll(/`(sub [^`]+)`|^ +(sub [a-z].*)/gm)) {
      commands += 1;
      const command = quoted ?? example ?? '';
      if (!isKnown(command, flags)) wrong.push(`help ${words.join(' ')}: ${command}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(commands).toBeGreaterThan(12);
});

/** Whether a command names a verb, and no flag that it does not have. */
function isKnown(command: string, flags: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  const [own = ''] = command.split(/ (?:--|\|) /);
  const [, first = '', second = ''] = own.split(' ');
  const verbs = second
    .split('|')
    .map((name) => `${first} ${name}`)
    .filter((verb) => flags.has(verb));
  const known = verbs.length > 0 ? verbs : flags.has(first) ? [first] : [];
  const named = own.match(/(?<=\s)--[a-z][a-z-]*/g) ?? [];
  if (known.length === 0) return first === 'help' || first === 'VERB';
  return named.every((flag) => known.some((verb) => flags.get(verb)?.has(flag) === true));
}

it('docs/cli.md says of every verb with `--json` what it prints', async () => {
  const [, section = ''] = textOf('docs/cli.md').split('\n## JSON\n');
  const said = new Set<string>(['tail', 'query', 'help']);
  for (const [, cell = ''] of section.matchAll(/^\| (`[^|]+) \|/gm)) {
    const names = [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
    const [group] = (names[0] ?? '').split(' ');
    for (const name of names) said.add(name).add(`${group} ${name}`);
  }
  // These run something else, or print a script.
  const silent = new Set(['run', 'ledgerd', 'shim stdio', 'completion']);
  const verbs = [...(await flagsOfVerbs())].filter(([, known]) => known.has('--json')).map(([verb]) => verb);
  expect(verbs.filter((verb) => !said.has(verb) && !silent.has(verb))).toEqual([]);
});
