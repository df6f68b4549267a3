import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { hasMark } from './marks.js';
import { readCommand } from './read-command.js';

const PLACE = { project: '/home/dev/shop', home: '/home/dev', tmp: '/tmp', cwd: ['/home/dev/shop'] };
const BASH = spawnSync('bash', ['--version']).status === 0;
const runs = process.env['SUB_LONG'] === undefined ? 150 : 5000;

/** Pieces of words that start no command, whatever stands beside them. */
const PIECES = [
  String.raw`a b = , . : / - + @ % ^ # ! ~ * ? ] } _ 1 ' " \ $ { [ \\ \' \" \$ \a '' ""`.split(' '),
  '$V ${V} "$V" \'$V\' $U "$U" ${U:-x} ${V%z} ${#V} {a,b} {,c} {1..2}'.split(' '),
  String.raw`$' $'\n' $'\x41' $'\101' $'\'' $"`.split(' '),
  ['"a b"', "'c d'", String.raw`\ `, '\u00e9', '\u2028'],
].flat();

describe.skipIf(!BASH)('a real bash', () => {
  // Nothing is in it: a pattern stays as it is.
  const folder = mkdtempSync(join(tmpdir(), 'sub-words-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** The words that bash gives to a program; undefined where it cannot read them. */
  function givenBy(text: string): readonly string[] | undefined {
    const { status, stdout } = spawnSync('bash', ['--norc', '-c', `V=vz\nprintf '%s\\0' ${text}`], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: '/usr/bin:/bin', HOME: '/home/dev', LC_ALL: 'C.UTF-8' },
    });
    return status === 0 ? stdout.split('\0').slice(0, -1) : undefined;
  }

  it('gives a program the words that are read, or the reading says that it does not know them', () => {
    const words = fc.array(fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 6 }), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(words, (pieces) => {
        const text = pieces.map((word) => word.join('')).join(' ');
        // Users of this machine are nobody's business: a name behind `~` is taken for one.
        fc.pre(!/~[^/\s]/.test(text));
        const given = givenBy(text);
        if (given === undefined) return;
        const { commands, unparsed } = readCommand(`V=vz\nprintf '%s\\0' ${text}`, PLACE);
        if (unparsed !== null) return;
        const read = commands.find(({ program }) => program === 'printf')?.words.slice(2) ?? [];
        if (read.some(hasMark)) return;
        // Without an operand, `printf` prints its format once.
        expect(read.length === 0 ? [''] : read, text).toEqual(given);
      }),
      { numRuns: runs },
    );
  }, 120_000);
});
