import { expect, it } from 'vitest';
import { bytePath, pathOfShown, pathOfText, shown } from './byte-path.js';

it('a path is found again by the text that it is shown as, whatever its bytes', () => {
  const names = [
    'plain/name',
    ' ',
    '-rf',
    'a\nb',
    'ü',
    '\\',
    String.raw`\xff`,
    '\u202egpj',
    String.raw`\x5cx61`,
    '日本',
    'x'.repeat(10_000),
  ].map((name) => pathOfText(name));
  const bytes = [[0xff], [0x61, 0xff, 0x2f, 0x80], [0xc3], [0x5c, 0x78, 0xff]];
  for (const path of [...names, ...bytes.map((all) => bytePath(Uint8Array.from(all)))])
    expect(pathOfShown(shown(path))).toBe(path);
});

it('a text that no path is shown as leads to none', () => {
  for (const text of [
    '\\',
    'a\nb',
    String.raw`\x`,
    String.raw`\x61`,
    String.raw`\xFF`,
    String.raw`\xc3\xbc`,
    '\u202e',
  ])
    expect([text, pathOfShown(text)]).toEqual([text, undefined]);
});
