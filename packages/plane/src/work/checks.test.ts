import { describe, expect, it } from 'vitest';
import { checksWork } from './checks.js';

describe('a command that checks the work', () => {
  it.each([
    'npm test',
    'npm test -- --run a',
    'cd api && npm run test:unit',
    'pnpm run lint',
    'npx vitest run src/a.test.ts',
    'CI=1 pytest -q',
    'python -m pytest tests',
    'node --test',
    'go vet ./...',
    'cargo clippy',
    'make check',
    'tsc -b',
  ])('is one alone, of a program that does nothing else: %s', (text) => {
    expect(checksWork(text)).toBe(true);
  });

  it.each([
    'npm run deploy',
    'npm start',
    'node -e 0',
    'node deploy.js',
    'python -c 1',
    'make install',
    'docker run x',
    'npm test | tail',
    'npm test || true',
    'npm test; deploy',
    'npm test && deploy',
    'pytest &',
    'pytest `deploy`',
    'pytest $(deploy)',
    'pytest > out',
    'cd a && cd b && npm test',
    'echo npm test',
    '',
  ])('is not: %s', (text) => {
    expect(checksWork(text)).toBe(false);
  });
});
