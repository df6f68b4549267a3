import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { runSub } from '../harness/sub.js';

const DOCS = readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8');
const VERBS = ['anchor', 'backup', 'checkpoint', 'prove', 'restore', 'status', 'verify'];
const POLICY = [
  'init',
  'lint',
  'test',
  'diff',
  'explain',
  'replay',
  'compile',
  'sign',
  'keygen',
  'schema',
  'show',
  'reload',
];
const HINTS = ['list', 'show', 'promote'];
/** Those of every verb. */
const COMMON = new Set(['--home', '--json', '--help']);

const optionsIn = (text: string): string[] =>
  [...new Set(text.match(/--[a-z][a-z-]*/g) ?? [])].filter((option) => !COMMON.has(option)).toSorted();

/** The headings that begin with a verb, in which usage stands. */
function headingsOf(verb: string): string {
  const [group = '', name = group] = verb.split(' ');
  const headings = DOCS.split('\n').filter((line) => line.startsWith(`### \`sub ${group}`));
  const usages = headings.flatMap((line) => line.slice(4).split(' · '));
  const own = usages.filter((usage) =>
    [`\`sub ${verb} `, `\`sub ${verb}\``, `\`${name} `, `\`${name}\``].some((start) =>
      usage.startsWith(start),
    ),
  );
  return own.join('\n');
}

describe('docs/cli.md', () => {
  it.each([
    ...VERBS.map((verb) => `audit ${verb}`),
    'panic',
    'ingest',
    'runs',
    'export run',
    'witness',
    'import',
    'restore',
    'uninstall',
    ...POLICY.map((verb) => `policy ${verb}`),
    ...HINTS.map((verb) => `hints ${verb}`),
    'account add',
    'account list',
    'account test',
    'account remove',
    'tools list',
    'tools diff',
    'tools approve',
    'tools forget',
  ])('names the options of `sub %s`, and no others', async (verb) => {
    const { code, stdout } = await runSub(['help', ...verb.split(' ')]);
    expect(code).toBe(0);
    const listed = stdout.split('\n').filter((line) => /^ {2}-/.test(line));
    expect(headingsOf(verb)).not.toBe('');
    expect(optionsIn(headingsOf(verb))).toEqual(
      optionsIn(listed.map((line) => line.split('  ')[1]).join('\n')),
    );
  });

  it.each([
    ['audit', VERBS],
    ['policy', POLICY],
    ['hints', HINTS],
  ])('names all verbs of `sub %s`', async (group, verbs) => {
    const { stdout } = await runSub(['help', group]);
    const listed = [...stdout.matchAll(/^ {2}([a-z]+) .*$/gm)].map(([, name]) => name);
    expect(new Set(listed)).toEqual(new Set([...verbs, 'help']));
  });
});
