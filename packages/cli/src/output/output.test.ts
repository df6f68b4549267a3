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

describe('what waits for a pager', () => {
  const terminal = (rows: number | undefined, json = false) => {
    const kept = { out: '', err: '' };
    const sink = (name: keyof typeof kept) => ({
      isTTY: true,
      columns: 80,
      ...(rows === undefined ? {} : { rows }),
      write: (text: string) => ((kept[name] += text), true),
      on: () => undefined,
    });
    const output = new Output({
      stdout: sink('out'),
      stderr: sink('err'),
      json,
      noColor: true,
      term: 'xterm',
    });
    return { output, kept };
  };

  it('is long where a screen has no room for it, and only remarks are printed of what was shown', () => {
    const { output, kept } = terminal(4);
    expect(output.hold()).toBe(true);
    output.lines(['1', '2', '3']);
    expect(output.longText()).toBeUndefined();
    output.line('4');
    output.note('more');
    expect(kept).toEqual({ out: '', err: '' });
    expect(output.longText()).toBe('1\n2\n3\n4\n');
    output.release(true);
    expect(kept).toEqual({ out: '', err: 'more\n' });
  });

  it('is printed as it is where no pager has shown it, or where it is too much', () => {
    const { output, kept } = terminal(4);
    output.hold();
    output.lines(['1', '2', '3', '4', '5']);
    output.release(false);
    expect(kept.out).toBe('1\n2\n3\n4\n5\n');
    output.hold();
    for (let at = 0; at < 10; at += 1) output.lines(Array.from({ length: 20_000 }, () => 'a'.repeat(60)));
    expect(kept.out.length).toBeGreaterThan(12_000_000);
  });

  it('is nothing of a terminal of unknown height, and of values for programs', () => {
    const { output } = terminal(undefined);
    output.hold();
    output.lines(Array.from({ length: 500 }, String));
    expect(output.longText()).toBeUndefined();
    expect(terminal(4, true).output.hold()).toBe(false);
  });
});
