import { SublError } from '@subluminal/core-types';
import { compilePolicy, type PolicySnapshot } from '@subluminal/policy';
import type { Call } from '../../program/call.js';
import { projectFile } from './project-file.js';
import { trustedText } from './trusted-text.js';

/** Instead of a file: the trusted policy of the project around this folder. */
export const TRUSTED = 'trusted';

/** @throws SublError `not_found` if none is trusted, and if no gateway answers. */
export async function trustedPolicy(call: Call): Promise<PolicySnapshot> {
  const file = projectFile(undefined, call.session.cwd);
  const text = await trustedText(call, file);
  if (text === undefined)
    throw new SublError('not_found', `\`${file}\` is not trusted`, { help: '`sub policy trust` shows it' });
  const compiled = compilePolicy(text, { format: 'yaml' });
  if (compiled.ok) return compiled.snapshot;
  throw new SublError('policy_invalid', 'this version cannot read the trusted text');
}
