import { expect, test } from 'vitest';
import { lookOf } from './look-alike.js';

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
