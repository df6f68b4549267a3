import { describe, expect, it } from 'vitest';
import { Output } from './output.js';

function printed(print: (output: Output) => void): string {
  let text = '';
  const sink = { write: (more: string) => ((text += more), true), on: () => undefined };
  print(new Output({ stdout: sink, stderr: sink, json: false, noColor: true, term: '' }));
  return text;
}

const NAMES = [
  '::stop-commands::tok.test.yaml',
  ' \u00a0\t::error::x',
  'first\n::error::second',
  'ok 1 ##vso[task.setvariable]x',
  '###[command]x',
];

describe('no CI system takes for a command', () => {
  it.each(NAMES)('%j in a line', (name) => {
    const lines = [
      printed((output) => output.line(name)),
      printed((output) => output.lines(['first', name])),
      printed((output) => output.note(name)),
    ];
    for (const text of lines) expect(text).not.toMatch(/^\s*::|##/m);
  });

  it.each(NAMES)('%j in a value, which stays what it is', (name) => {
    const text = printed((output) => output.value({ name }));
    expect(text).not.toMatch(/^\s*::|##/m);
    expect(JSON.parse(text)).toEqual({ name });
  });
});

it('annotations of our own are commands', () => {
  expect(printed((output) => output.annotation('::error title=a::b'))).toBe('::error title=a::b\n');
});
