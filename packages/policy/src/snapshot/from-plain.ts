import { PolicyBundle, SublError } from '@subluminal/core-types';
import { findContentMistakes } from '../lint/contents.js';
import { safeKey } from '../source/keys.js';
import type { Tree } from '../source/tree.js';
import { plainPolicy } from './plain.js';
import { isSameJson } from './same-json.js';
import { buildSnapshot, type PolicySnapshot } from './snapshot.js';

const MAX_DEPTH = 64;

/**
 * The snapshot of a normal form that was recorded or sent: the same hash, the same decisions.
 *
 * @throws SublError `policy_invalid` for everything that is not the normal form of a bundle that compiles.
 */
export function snapshotFromPlain(plain: unknown): PolicySnapshot {
  const tree = treeOf(plain, 0);
  const parsed = PolicyBundle.safeParse(tree);
  if (!parsed.success || findContentMistakes(tree).length > 0) throw invalid();
  const normal = plainPolicy(parsed.data);
  if (!isSameJson(plain, normal)) throw invalid();
  return buildSnapshot(normal);
}

function treeOf(value: unknown, depth: number): Tree {
  if (depth > MAX_DEPTH) throw invalid();
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value !== 'object' || value === null) return null;
  if (Array.isArray(value)) return value.map((item) => treeOf(item, depth + 1));
  const tree: Record<string, Tree> = Object.create(null);
  for (const [key, child] of Object.entries(value)) tree[safeKey(key)] = treeOf(child, depth + 1);
  return tree;
}

function invalid(): SublError {
  return new SublError('policy_invalid', 'this is not the normal form of a policy');
}
