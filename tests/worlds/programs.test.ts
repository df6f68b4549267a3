import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const PERL = '/usr/bin/perl';
const of = (program: string): string => fileURLToPath(new URL(`../../packages/${program}`, import.meta.url));
const checked = (...args: readonly string[]): string =>
  spawnSync(PERL, ['-Mstrict', '-w', '-c', ...args], { encoding: 'utf8' }).stderr;

it
  .skipIf(!existsSync(PERL))
  .each([
    'worlds-net/src/namespaces/namespaces.pl',
    'worlds/src/enter/enter.pl',
    'worlds/src/enter/attach.pl',
    'worlds/src/enter/guard.pl',
    'worlds/src/named/named.pl',
  ])('`%s`, which loads no module, passes under strict', (program) => {
  expect(checked(of(program))).toBe(`${of(program)} syntax OK\n`);
});

it.skipIf(!existsSync(PERL))(
  'the first process of a world, which loads no module, passes under strict',
  () => {
    const parts = ['wire', 'limits', 'init'].map((name) =>
      readFileSync(of(`worlds/src/enter/${name}.pl`), 'utf8'),
    );
    expect(checked('-e', parts.join(''))).toBe('-e syntax OK\n');
  },
);
