import fc from 'fast-check';
import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { readConfig } from './file.js';
import { withSetting } from './edit.js';
import { settingPath } from './key.js';

const RUNS = process.env['SUB_LONG'] === '1' ? 3000 : 300;

/** Settings with a value that fits each, and another one. */
const SETTINGS: readonly (readonly [string, string, string])[] = [
  ['autostart', 'true', 'false'],
  ['durability', '"fsync"', '"process"'],
  ['egress.mode', '"observe"', '"enforce"'],
  ['egress.idle_ms', '1000', '2_000'],
  ['ledger.max_mb', '64', '"unlimited"'],
  ['rate_limits.actions."email.send"', '1', '2'],
  ['servers.gh.timeout_ms', '100', '200'],
  ['tools.flag', '[]', '["a", "b"]'],
  ['log.level', '"info"', '"debug"'],
];

const blank = fc.constantFrom('', '\n', '\n\n', '   \n');
const comment = fc.constantFrom('# mine', '# [egress] mode = "off"', '# "quotes" # and more', '#');
const gap = fc.constantFrom('', '  ', '\t');

/** A file of some of the settings, in tables or with dotted keys, among comments and blank lines. */
const files = fc
  .record({
    chosen: fc.subarray(SETTINGS.map((_, index) => index)),
    dotted: fc.boolean(),
    head: fc.array(comment, { maxLength: 2 }),
    between: fc.array(fc.tuple(blank, fc.option(comment, { nil: '' })), { minLength: 9, maxLength: 9 }),
    behind: fc.array(fc.option(comment, { nil: '' }), { minLength: 9, maxLength: 9 }),
    gap,
    newline: fc.constantFrom('\n', '\r\n'),
    ends: fc.boolean(),
  })
  .map(({ chosen, dotted, head, between, behind, gap: space, newline, ends }) => {
    const lines: string[] = [...head];
    const line = (key: string, value: string, index: number): void => {
      const [empty = '', note = ''] = between[index] ?? [];
      lines.push(...empty.split('\n').slice(1), ...(note === '' ? [] : [note]));
      const tail = behind[index] ?? '';
      lines.push(`${space}${key} = ${value}${tail === '' ? '' : ` ${tail}`}`);
    };
    const top = chosen.filter((index) => !(SETTINGS[index]?.[0] ?? '').includes('.'));
    for (const index of top) line(SETTINGS[index]?.[0] ?? '', SETTINGS[index]?.[1] ?? '', index);
    const tables = chosen.filter((index) => !top.includes(index));
    for (const index of tables) {
      const [key = '', value = ''] = SETTINGS[index] ?? [];
      const path = settingPath(key);
      const table = path.slice(0, -1).join('.');
      const name = key.slice(table.length + 1);
      if (dotted) line(key, value, index);
      else {
        if (!lines.includes(`[${table}]`)) lines.push(`[${table}]`);
        if (lines.lastIndexOf(`[${table}]`) > lines.findLastIndex((one) => one.startsWith('[')) - 1)
          line(name, value, index);
      }
    }
    return lines.join(newline) + (ends ? newline : '');
  })
  .filter((text) => {
    try {
      readConfig('config.toml', text);
      return true;
    } catch {
      return false;
    }
  });

const settings = fc.constantFrom(
  ...SETTINGS.flatMap(([key, one, two]) => [[key, one] as const, [key, two] as const]),
);

function linesOf(text: string): readonly string[] {
  return text.split(/\r?\n/).map((line) => line.trim());
}

/** Whether the lines stand in that order among others. */
function standIn(lines: readonly string[], others: readonly string[]): boolean {
  let at = 0;
  for (const line of others) if (line === lines[at]) at += 1;
  return at === lines.length;
}

function valueAt(text: string, path: readonly string[]): unknown {
  let at: unknown = parse(text);
  for (const name of path) at = Reflect.get(Object(at) as object, name);
  return at;
}

describe('one setting of config.toml', () => {
  it('is what was written, and every other line, comments too, stays in its place', () => {
    fc.assert(
      fc.property(files, settings, (text, [key, source]) => {
        const path = settingPath(key);
        const edited = withSetting(text, path, source);
        expect(valueAt(edited, path)).toEqual(valueAt(`x = ${source}`, ['x']));
        const had = valueAt(text, path) !== undefined;
        const name = path.at(-1) ?? '';
        const kept = linesOf(text).filter(
          (line) => line !== '' && !(had && !line.startsWith('#') && line.includes(name)),
        );
        expect(standIn(kept, linesOf(edited))).toBe(true);
        for (const note of text.match(/#[^\n\r]*/g) ?? []) expect(edited).toContain(note);
      }),
      { numRuns: RUNS },
    );
  });

  it('written twice is as written once, and taken out again leaves what the others mean', () => {
    fc.assert(
      fc.property(files, settings, (text, [key, source]) => {
        const path = settingPath(key);
        const edited = withSetting(text, path, source);
        expect(withSetting(edited, path, source)).toBe(edited);
        const gone = withSetting(edited, path, undefined);
        expect(valueAt(gone, path)).toBeUndefined();
        expect(readConfig('c', gone).config).toEqual(
          readConfig('c', withSetting(text, path, undefined)).config,
        );
      }),
      { numRuns: RUNS },
    );
  });

  it('is put below the comments on the whole file, and above those of a table', () => {
    expect(withSetting('# all\n\n[log] # l\n', ['autostart'], 'false')).toBe(
      '# all\n\nautostart = false\n[log] # l\n',
    );
    expect(withSetting('# of log\n[log]\n', ['autostart'], 'false')).toBe(
      'autostart = false\n# of log\n[log]\n',
    );
    expect(withSetting('', ['egress', 'mode'], '"off"')).toBe('[egress]\nmode = "off"\n');
    expect(withSetting('a = 1', ['egress', 'mode'], '"off"')).toBe('a = 1\n\n[egress]\nmode = "off"\n');
  });

  it.each([
    'egress.modus',
    'egress',
    'servers.gh',
    'nothing',
    '',
    'a b',
    'egress.mode = 1',
    'mode',
    '__proto__',
  ])('refuses `%s`, which is no setting', (key) => {
    expect(() => settingPath(key)).toThrow(expect.objectContaining({ code: 'usage' }));
  });
});
