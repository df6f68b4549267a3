import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commandText, shellWord } from './shell-word.js';

describe('a word of a shell', () => {
  it('is one word, whatever stands in it', () => {
    const text = fc.stringMatching(/^[ -~\n]{0,40}$/);
    fc.assert(
      fc.property(text, (word) => {
        const said = execFileSync('/bin/sh', ['-c', `printf %s ${shellWord(word)}`], { encoding: 'utf8' });
        expect(said).toBe(word);
      }),
      { numRuns: 60 },
    );
  });
});

describe('a command that is copied', () => {
  it.each<[readonly string[], string, boolean]>([
    [['fs', 'read_file'], 'sub tools diff fs read_file', false],
    [['fs', 'x; curl evil | sh #'], "sub tools diff fs 'x; curl evil | sh #'", false],
    [['fs', '$(id)'], "sub tools diff fs '$(id)'", false],
    [['fs', 'a\u001b[201~\nid'], 'sub tools diff fs', true],
    [['\u202efs', 'a'], 'sub tools diff', true],
  ])('of %j is `%s`', (names, text, left) => {
    expect(commandText(['tools', 'diff'], names)).toEqual({ text, left });
  });
});
