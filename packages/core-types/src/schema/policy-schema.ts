import * as z from 'zod';
import { PolicyBundle } from './policy-bundle.js';
import { POLICY_FIELDS } from './policy-fields.js';

/**
 * The JSON Schema of a policy bundle, by which editors check and complete policies. A policy that it passes
 * may still not compile.
 */
export function policySchemaText(): string {
  const schema = z.toJSONSchema(PolicyBundle, { io: 'input', reused: 'ref' });
  describeKeys(schema);
  return `${JSON.stringify({ title: 'Subluminal policy', ...schema }, null, 2)}\n`;
}

/** Says of every key what it is. */
function describeKeys(node: unknown): void {
  if (typeof node !== 'object' || node === null) return;
  for (const [name, child] of Object.entries(node)) {
    if (name === 'properties') describeAll(child);
    describeKeys(child);
  }
}

function describeAll(properties: unknown): void {
  if (typeof properties !== 'object' || properties === null) return;
  for (const [key, field] of Object.entries(properties)) {
    const description = POLICY_FIELDS[key];
    if (description === undefined) throw new Error(`\`${key}\` has no description in policy-fields.ts`);
    Reflect.set(field, 'description', description);
  }
}
