import { expect, test } from 'vitest';
import { Looks, lookOf } from './look-alike.js';

test.each([
  ['read_file', 'Read_File'],
  ['read_file', 'rеad_fіle'],
  ['read_file', 'ｒｅａｄ＿ｆｉｌｅ'],
  ['read_file', '𝓻𝓮𝓪𝓭_𝒇𝒊𝒍𝒆'],
  ['read_file', 'read\u200b_file'],
  ['read_file', 'read_f\u0131le'],
  ['read_file', 'réad_file'],
  ['read-file', 'read‐file'],
  ['login', '1ogin'],
  ['format', 'forrnat'],
  ['STRASSE', 'straße'],
  ['save', 'ѕаνе'],
])('`%s` and `%s` look alike', (a, b) => {
  expect(lookOf(a)).toBe(lookOf(b));
});

test.each([
  ['read_file', 'read_files'],
  ['read_file', 'read-file'],
  ['list_a', 'list_b'],
  ['get_item_2', 'get_item_3'],
  ['создать', 'удалить'],
  ['読む', '書く'],
])('`%s` and `%s` do not', (a, b) => {
  expect(lookOf(a)).not.toBe(lookOf(b));
});

test('what a name looks like looks like itself', () => {
  for (const name of ['read_file', 'rеad', 'forrnat', 'Ｘ１', 'ẞ', 'İstanbul']) {
    expect(lookOf(lookOf(name))).toBe(lookOf(name));
  }
});

test.each([
  ['a name of the longest that MCP gives', 'ｘ'.repeat(128)],
  ['the characters that stand for the most others', '\uFDFA'.repeat(512)],
  ['syllables that fall apart', '한'.repeat(512)],
])('what %s looks like has 256 characters at most', (_, name) => {
  expect(lookOf(name).length).toBeLessThanOrEqual(256);
  expect(lookOf(name)).not.toBe(lookOf(`y${name}`));
});

test('names that differ behind their first 128 characters look alike', () => {
  expect(lookOf(`${'a'.repeat(128)}b`)).toBe(lookOf(`${'a'.repeat(128)}c`));
  expect(lookOf(`${'a'.repeat(127)}b`)).not.toBe(lookOf(`${'a'.repeat(127)}c`));
});

test('a look that is remembered, forgotten and found again is the same', () => {
  const looks = new Looks();
  for (let round = 0; round < 2; round += 1) {
    const wrong = Array.from({ length: 20_000 }, (_, n) => `Tоol-${n}`).filter(
      (name) => looks.of(name) !== lookOf(name),
    );
    expect(wrong).toEqual([]);
  }
});
