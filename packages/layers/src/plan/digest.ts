import { createHash } from 'node:crypto';
import { canonicalize, type JsonObject } from '@subluminal/core-types';
import { shown } from '../files/byte-path.js';
import type { CommitPlan, CommitStep } from './steps.js';

/**
 * Hashes all steps of a plan in their order, each as a line of canonical JSON: two plans that do the same
 * have the same digest. SHA-256 in hex.
 */
export function digestOf({ steps }: Pick<CommitPlan, 'steps'>): string {
  const hash = createHash('sha256');
  for (const step of steps) hash.update(`${canonicalize(lineOf(step))}\n`);
  return hash.digest('hex');
}

function lineOf(step: CommitStep): JsonObject {
  const line = { does: step.does, path: shown(step.path) };
  switch (step.does) {
    case 'put_file':
      return { ...line, mode: step.mode, size: step.from.size, sha256: step.from.sha256 ?? null };
    case 'put_link':
      return { ...line, target: shown(step.target) };
    case 'make_folder':
    case 'set_mode':
      return { ...line, mode: step.mode };
    case 'set_time':
      return { ...line, modified_at: String(step.modifiedAt) };
    case 'remove':
    case 'remove_folder':
      return line;
  }
}
