import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
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
