import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Below the repository, so that the packages are found. */
const FOLDER = join(ROOT, 'node_modules/.cache/house-test');

const STEPS = [
  'whenStopped',
  'whenFull',
  'result',
  'decide',
  'admit',
  'unusual',
  'record',
  'recorded',
  'execute',
  'concluded',
  'place',
  'about',
] as const;
const WING = ['name', 'actions', 'start', 'stop', 'status'] as const;
const SECTION = ['name', 'schema', 'looser', 'takesEffect'] as const;
const VERB = ['name', 'summary', 'heading', 'load'] as const;
type Kind = 'Steps' | 'Wing' | 'ConfigSection' | 'VerbEntry';

/**
 * A toy action, a toy wing that brings it under the name of another, its table of `config.toml` and a verb
 * that asks for it, without the member of that name.
 */
function toyWithout(kind: Kind, member: string): string {
  return `import { neverLooser } from '@subluminal/gateway';
import type { ActionOf, ConfigSection, Steps, Wing } from '@subluminal/gateway';
import * as z from 'zod';
import { askOperator } from '../../../packages/cli/dist/gateway/door.js';
import type { VerbEntry } from '../../../packages/cli/dist/program/verb.js';
const steps: Steps = {
  whenStopped: 'refused',
  whenFull: 'refused',
  result: 'now',
  decide: () => 'pass',
  admit: () => 'pass',
  unusual: () => [],
  record: () => 'own',
  recorded: () => undefined,
  execute: () => ({ status: 'success' }),
  concluded: () => 'pass',
  place: undefined,
  about: () => ({}),
};
const toy: ActionOf<'http.status'> = () => steps;
const wing: Wing = {
  name: 'toy',
  actions: { 'http.status': toy },
  start: () => undefined,
  stop: () => undefined,
  status: () => ({}),
};
const section: ConfigSection<{ readonly loud: boolean }> = {
  name: 'toy',
  schema: z.strictObject({ loud: z.boolean().default(false) }).prefault({}),
  looser: { loud: neverLooser },
  takesEffect: 'at once',
};
const verb: VerbEntry = {
  name: 'toy',
  summary: 'ask the toy',
  heading: 'Other',
  load: () =>
    Promise.resolve({
      define: (command, does) =>
        does(command, {}, async ({ home, session }) => {
          await askOperator(home, session.now, 'http.status');
          return 0;
        }),
    }),
};
const whole = { Steps: steps, Wing: wing, ConfigSection: section, VerbEntry: verb }.${kind};
const { ${member === '' ? '' : `${member}: forgotten, `}...rest } = whole;
export const made: ${kind} = rest;
${member === '' ? '' : 'void forgotten;'}
`;
}

const CASES = [
  ['Steps', ''],
  ['Wing', ''],
  ['ConfigSection', ''],
  ['VerbEntry', ''],
  ...STEPS.map((member) => ['Steps', member] as const),
  ...WING.map((member) => ['Wing', member] as const),
  ...SECTION.map((member) => ['ConfigSection', member] as const),
  ...VERB.map((member) => ['VerbEntry', member] as const),
] as const;
const WHOLE = 4;

describe('a toy action, and a toy wing with its table and its verb', () => {
  let said = '';

  beforeAll(() => {
    mkdirSync(FOLDER, { recursive: true });
    const files = CASES.map(([kind, member]) => {
      const file = join(FOLDER, `${kind}-${member}.ts`);
      writeFileSync(file, toyWithout(kind, member));
      return file;
    });
    const options =
      '--ignoreConfig --noEmit --strict --module nodenext --target es2022 --skipLibCheck --types node'.split(
        ' ',
      );
    const compiler = join(ROOT, 'node_modules/.bin/tsc');
    said = spawnSync(compiler, [...options, ...files], { cwd: ROOT, encoding: 'utf8' }).stdout;
  });
  afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

  it.each(CASES.slice(0, WHOLE))('compile when they are whole: %s', (kind) => {
    expect(said.split('\n').filter((line) => line.includes(`${kind}-.ts`))).toEqual([]);
  });

  it.each(CASES.slice(WHOLE))('do not compile as %s without `%s`', (kind, member) => {
    const mistake = said.split('\n').find((line) => line.includes(`house-test/${kind}-${member}.ts`));
    expect(mistake).toMatch(/error TS2(?:322|741|739)/u);
  });
});
