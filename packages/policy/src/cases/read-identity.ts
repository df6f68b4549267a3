import { ClientName, EnvName, Workload } from '@subluminal/core-types';
import type { PolicyIdentity } from '../match/call.js';
import type { Path } from '../problem/problem.js';
import type { Tree } from '../source/tree.js';
import { type Fields, has, wordsOf } from './fields.js';

const IDENTITY_KEYS = ['agent_id', 'client', 'env', 'workload'] as const;
const WORKLOAD_KEYS = Object.keys(Workload.shape);

/** The asker where a file does not say. */
export const ANYBODY: PolicyIdentity = { agent_id: 'agent', client: 'unknown', env: 'unknown' };

/** The asker; members that are not said here are as in `otherwise`. */
export function readIdentity(
  fields: Fields,
  value: Tree | undefined,
  path: Path,
  otherwise: PolicyIdentity,
): PolicyIdentity {
  if (value === undefined) return otherwise;
  const map = fields.map(value, path, IDENTITY_KEYS);
  const client = has(map, 'client')
    ? fields.word(map['client'], [...path, 'client'], wordsOf(ClientName))
    : undefined;
  const env = has(map, 'env') ? fields.word(map['env'], [...path, 'env'], wordsOf(EnvName)) : undefined;
  return {
    agent_id: has(map, 'agent_id') ? fields.text(map['agent_id'], [...path, 'agent_id']) : otherwise.agent_id,
    client: client ?? otherwise.client,
    env: env ?? otherwise.env,
    workload: has(map, 'workload')
      ? readWorkload(fields, map['workload'], [...path, 'workload'])
      : otherwise.workload,
  };
}

function readWorkload(fields: Fields, value: Tree | undefined, path: Path): PolicyIdentity['workload'] {
  const map = fields.map(value, path, WORKLOAD_KEYS);
  const { labels, ...places } = map;
  const texts = Object.entries(places).map(
    ([key, text]) => [key, fields.text(text, [...path, key])] as const,
  );
  const given = labels === undefined ? {} : fields.object(labels, [...path, 'labels']);
  const named: Record<string, string> = {};
  for (const [key, label] of Object.entries(given)) {
    if (typeof label === 'string') named[key] = label;
    else fields.wrong([...path, 'labels', key], 'is not a text', 'put it in double quotes');
  }
  return { ...Object.fromEntries(texts), ...(labels === undefined ? {} : { labels: named }) };
}
