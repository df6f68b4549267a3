import { SublError } from '@subluminal/core-types';
import { compilePolicy, type PolicySnapshot, projectPolicy } from '@subluminal/policy';
import type { Call } from '../../program/call.js';
import { trustedText } from '../project/trusted-text.js';

/** The policies of trusted projects, as the operator trusted their text. Throws `policy_invalid`. */
export function projectsOf(call: Call, files: readonly string[]): Promise<readonly PolicySnapshot[]> {
  return Promise.all(files.map((file) => projectOf(call, file)));
}

async function projectOf(call: Call, file: string): Promise<PolicySnapshot> {
  const text = await trustedText(call, file);
  const compiled = text === undefined ? undefined : compilePolicy(text, { format: 'yaml' });
  if (compiled?.ok === true) return projectPolicy(compiled.snapshot, file);
  throw new SublError('policy_invalid', `the trusted text of \`${file}\` cannot be read`);
}
