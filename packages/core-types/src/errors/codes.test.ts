import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES, isErrorCode } from './codes.js';

const page = readFileSync(new URL('../../../../docs/errors.md', import.meta.url), 'utf8');
const documented = [...page.matchAll(/^\| `([a-z0-9_]+)` \|/gm)].map((match) => match[1]);

describe('error codes', () => {
  it('are all documented in docs/errors.md', () => {
    expect(Object.keys(ERROR_CODES).filter((code) => !documented.includes(code))).toEqual([]);
  });

  it('are documented only where they exist', () => {
    expect(documented.filter((code) => code === undefined || !isErrorCode(code))).toEqual([]);
  });

  it('are documented once each', () => {
    expect(new Set(documented).size).toBe(documented.length);
    expect(documented.length).toBeGreaterThan(40);
  });

  it('are snake case and have a meaning', () => {
    for (const [code, meaning] of Object.entries(ERROR_CODES)) {
      expect(code).toMatch(/^[a-z]+(_[a-z0-9]+)*$/);
      expect(meaning.length).toBeGreaterThan(10);
    }
  });
});
