import { momentAt, textAt, type JsonObject } from '@subluminal/core-types';
import { ago } from '../output/time.js';

/** A policy in one line, from what the gateway tells of it. */
export function policyText(policy: JsonObject, now: number): string {
  const loaded = momentAt(policy, 'loaded_at');
  const name = `${textAt(policy, 'policy_id')} ${textAt(policy, 'policy_version')}`;
  const when = loaded === undefined ? '' : `, loaded ${ago(loaded, now)}`;
  return `${name}, mode ${textAt(policy, 'mode')}, from ${SOURCES.get(textAt(policy, 'source')) ?? 'policy.yaml'}${when}`;
}

/** Where the policy that decides came from. */
const SOURCES: ReadonlyMap<string, string> = new Map([
  ['builtin', 'no file: everything is recorded, nothing refused'],
  ['stored', 'the last file that loaded'],
  ['file', 'policy.yaml'],
]);
