// The starter policies stand in `policies/`, and are shipped beside the command line that writes them.
import { copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const FROM = 'policies';
const TO = 'packages/cli/dist/policies';

/**
 * Copies the policies, and removes what an earlier build left. Returns the copies as paths from the root.
 * @param {string} root
 * @returns {string[]}
 */
export function copyPolicies(root) {
  rmSync(join(root, TO), { recursive: true, force: true });
  mkdirSync(join(root, TO), { recursive: true });
  const names = readdirSync(join(root, FROM)).filter((name) => name.endsWith('.yaml'));
  for (const name of names) copyFileSync(join(root, FROM, name), join(root, TO, name));
  return names.map((name) => `${TO}/${name}`);
}
