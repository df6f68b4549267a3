import { expect, it } from 'vitest';
import { lookAlikes, tellingLookAlikes } from './look-alikes.js';

it.each([
  ['a host', 'curl https://p\u0430ypal.com/x', ['\u0430']],
  [
    'a host of nothing else',
    'curl https://\u0430\u0440\u0440\u04cf\u0435.com',
    ['\u0430', '\u0440', '\u04cf', '\u0435'],
  ],
  ['a path', 'cat /home/me/.ss\u04bb/id', ['\u04bb']],
  ['a program', '\u0441\u0430t notes', ['\u0441', '\u0430']],
  ['a program of nothing else', '\u0441\u0430\u0442 notes', ['\u0441', '\u0430', '\u0442']],
  ['a Greek letter in a Latin word', 'g\u03bf install', ['\u03bf']],
  ['wide letters', '\uff47\uff49\uff54 push', ['\uff47', '\uff49', '\uff54']],
  ['mathematical letters', '\u{1d450}url', ['\u{1d450}']],
])('letters that look like others are found in %s', (_where, text, letters) => {
  expect(lookAlikes(text)).toEqual(letters);
});

it.each([
  ['plain text', 'git push origin main'],
  ['Latin letters with marks', 'git commit -m "größe, naïve, Łódź"'],
  ['a sentence in Russian', 'git commit -m "исправлена ошибка в сортировке"'],
  ['a sentence in Greek', 'echo "καλημέρα κόσμε"'],
  ['Greek units', 'echo 10µs 5Ω Δx'],
  ['Chinese and Japanese', 'echo 世界 こんにちは'],
  ['ordinals', 'echo 1º 2ª m²'],
])('none are found in %s', (_what, text) => {
  expect(lookAlikes(text)).toEqual([]);
});

it('they are told with their code points, and no more than eight', () => {
  expect(tellingLookAlikes('p\u0430y')).toBe(
    'p\u0430y — contains letters that look like others: `\u0430` (U+0430)',
  );
  expect(lookAlikes('xасеорхуіјѕ')).toHaveLength(8);
  expect(tellingLookAlikes('ls')).toBe('ls');
});
