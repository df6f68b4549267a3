import * as z from 'zod';
import { PolicyBundle } from './policy-bundle.js';

/** The JSON Schema of a policy bundle, by which editors check and complete policies. What it passes may still not compile. */
export function policySchemaText(): string {
  const schema = z.toJSONSchema(PolicyBundle, { io: 'input', reused: 'ref' });
  return `${JSON.stringify({ title: 'Subluminal policy', ...schema }, null, 2)}\n`;
}
