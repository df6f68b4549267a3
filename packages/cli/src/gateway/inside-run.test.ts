import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const SENTENCE = /A process of the run is taken for the operator where [^.]*\./;

function told(file: string): string | undefined {
  const text = readFileSync(new URL(`../../../../${file}`, import.meta.url), 'utf8');
  return SENTENCE.exec(text.replaceAll(/\s+/g, ' '))?.[0];
}

test('README, ARCHITECTURE and SECURITY say in the same words which process of a run is taken for the operator', () => {
  expect(told('SECURITY.md')).toContain('it cleared its environment');
  expect(told('README.md')).toBe(told('SECURITY.md'));
  expect(told('ARCHITECTURE.md')).toBe(told('SECURITY.md'));
});
