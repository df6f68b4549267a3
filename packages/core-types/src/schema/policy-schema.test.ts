import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { POLICY_FIELDS } from './policy-fields.js';
import { policySchemaText } from './policy-schema.js';

it('policies/policy.schema.json is the schema of this version: `sub policy schema --out` writes it', () => {
  const path = new URL('../../../../policies/policy.schema.json', import.meta.url);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(JSON.parse(policySchemaText()));
});

it('the schema knows every kind of rule, and no key that there is not', () => {
  const schema = policySchemaText();
  for (const kind of ['allow', 'deny', 'budget', 'rate_limit', 'breaker', 'dedupe', 'tag']) {
    expect(schema).toContain(`"const": "${kind}"`);
  }
  expect(JSON.parse(schema)).toMatchObject({ additionalProperties: false });
});

it('every key of the schema says what it is, and stands in docs/policy.md', () => {
  const schema = policySchemaText();
  const reference = readFileSync(new URL('../../../../docs/policy.md', import.meta.url), 'utf8');
  for (const [key, description] of Object.entries(POLICY_FIELDS)) {
    expect(schema).toContain(JSON.stringify(description));
    expect(reference, key).toMatch(new RegExp(`\\b${key}\\b`));
  }
});
