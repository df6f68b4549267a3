import { objectAt, SublError } from '@subluminal/core-types';
import { askOperator } from '../../gateway/door.js';
import type { Call } from '../../program/call.js';

/** The text of a project's policy that is trusted now; undefined for none. */
export async function trustedText({ home, session }: Call, file: string): Promise<string | undefined> {
  const shown = objectAt(await askOperator(home, session.now, 'policy.show', { project: file }));
  const text = shown['project_text'];
  if (text === undefined)
    throw new SublError('not_available', 'the gateway does not know policies of projects', {
      help: '`sub up --restart` starts this version',
    });
  return typeof text === 'string' ? text : undefined;
}
