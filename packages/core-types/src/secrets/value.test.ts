import { describe, expect, it } from 'vitest';
import { secretProblem } from './value.js';
import { isSteering } from './variable.js';

describe('a secret', () => {
  it.each([
    ['1234567', /fewer than 8/],
    ['x'.repeat(32_769), /more than 32768/],
    ['with\0nul-in-it', /NUL/],
    ['half of a pair \ud83d', /well-formed/],
    [' '.repeat(10), /blank/],
  ])('is not %j', (value, why) => {
    expect(secretProblem(value, { redact: false })).toMatch(why);
  });

  it.each([
    '12345678',
    '-1.5e+10000',
    'null,null',
    'rue,false',
    '[[[[[[[[',
    'lse},{"a'.slice(0, 5).padEnd(8, ':'),
  ])('that could stand outside of a string, %j, cannot be taken out of messages', (value) => {
    expect(secretProblem(value, { redact: true })).toMatch(/could be a number/);
    expect(secretProblem(value, { redact: false })).toBeUndefined();
  });

  it.each([
    'eastfalls',
    'a1234567',
    'ghp_0123456789',
    '-----BEGIN KEY-----\nabc\n-----END KEY-----',
    'nulltrue"',
  ])('is %j, in messages as elsewhere', (value) => {
    expect(secretProblem(value, { redact: true })).toBeUndefined();
  });
});

describe('a variable that steers a program', () => {
  it.each(['PATH', 'Path', 'LD_PRELOAD', 'NODE_OPTIONS', 'SUB_RUN_ID', 'https_proxy', 'PYTHONPATH', 'HOME'])(
    'is %s',
    (name) => {
      expect(isSteering(name)).toBe(true);
    },
  );

  it.each(['GITHUB_TOKEN', 'NODE_AUTH_TOKEN', 'API_KEY', 'LDAP_PASSWORD', 'HOME_TOKEN'])(
    'is not %s',
    (name) => {
      expect(isSteering(name)).toBe(false);
    },
  );
});
