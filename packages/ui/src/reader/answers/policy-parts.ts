import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listAt,
  objectAt,
  redact,
  textAt,
} from '@subluminal/core-types';
import type { LedgerReader } from '@subluminal/ledger';
import { policyByHash } from '@subluminal/records';
import type { PolicyPart, PolicyVersion, RuleRow } from '../../protocol/policy.js';
import { howText, ownerKey, type RuleCounts } from './rule-counts.js';

const MAX_LOADED = 500;
const MAX_VERSIONS = 50;

type Owned = Pick<PolicyPart, 'from' | 'of'>;
type Now = PolicyPart['now'];

/**
 * The policy of the home, those of trusted projects, and those that were: each one's versions are its own,
 * for two policies that hold together are no versions of each other.
 *
 * @param policy As `policy.show` tells it.
 * @param file The path of the home's policy file.
 */
export function policyParts(
  reader: LedgerReader,
  policy: JsonObject,
  file: string,
  counts: RuleCounts,
): readonly PolicyPart[] {
  const loaded = loadedBy(reader);
  const part = (owned: Owned, id: string, now: Now, bundle: JsonObject | null): PolicyPart => {
    const owner = ownerKey(owned.of, owned.of === 'run' ? id : redact(owned.from).text);
    return {
      ...owned,
      id,
      now,
      rules: listAt(bundle ?? {}, 'rules').map((rule) => ruleRow(rule, owner, counts)),
      text: bundle === null ? null : indented(bundle),
      versions: unrepeated(loaded.get(owner)?.versions ?? []),
    };
  };
  const from = textAt(policy, 'source') === 'file' ? file : (WORDS[textAt(policy, 'source')] ?? '');
  const home = part(
    { of: 'home', from },
    textAt(policy, 'policy_id'),
    nowOf(policy, textAt(policy, 'mode'), ''),
    objectAt(policy, 'bundle'),
  );
  const projects = listAt(policy, 'projects').map((one) => {
    const about = objectAt(one, 'policy');
    return part(
      { of: 'project', from: textAt(one, 'file') },
      textAt(about, 'policy_id'),
      nowOf(about, textAt(about, 'mode'), textAt(one, 'state')),
      bundleOf(reader, textAt(about, 'policy_hash')),
    );
  });
  const known = new Set([
    'home',
    ...projects.map(({ from: path }) => ownerKey('project', redact(path).text)),
  ]);
  const over = [...loaded].flatMap(
    ([
      owner,
      {
        owned,
        versions: [newest],
      },
    ]) => (known.has(owner) || newest === undefined ? [] : [part(owned, newest.id, null, null)]),
  );
  return [home, ...projects, ...over];
}

const WORDS: Readonly<Record<string, string>> = { builtin: 'built in', stored: 'the one before, kept' };

/** The policies that were loaded, newest first, by those that they were loaded for. */
function loadedBy(
  reader: LedgerReader,
): ReadonlyMap<string, { readonly owned: Owned; readonly versions: PolicyVersion[] }> {
  const loaded = new Map<string, { readonly owned: Owned; readonly versions: PolicyVersion[] }>();
  for (const { data, runId, seq, ts } of reader.byType('policy_loaded', { limit: MAX_LOADED }).rows) {
    const id = textAt(data, 'policy', 'policy_id');
    const owned = ownedIn(data, runId);
    // A run is told of the home's policy and of the end of a project's: neither loads anything.
    if (owned === undefined || data['ended'] === true) continue;
    const owner = ownerKey(owned.of, owned.of === 'run' ? id : owned.from);
    const known = loaded.get(owner) ?? { owned, versions: [] };
    loaded.set(owner, known);
    known.versions.push({
      seq,
      ts,
      id,
      version: textAt(data, 'policy', 'policy_version'),
      hash: textAt(data, 'policy', 'policy_hash'),
      by: byIn(data),
    });
  }
  return loaded;
}

function ownedIn(data: JsonObject, runId: string | null): Owned | undefined {
  if (runId === null) return { of: 'home', from: '' };
  switch (textAt(data, 'source')) {
    case 'project':
      return { of: 'project', from: textAt(data, 'file') };
    case 'run':
      return { of: 'run', from: '`sub run --policy`' };
    default:
      return undefined;
  }
}

/** A version that was loaded again behind itself counts once. */
function unrepeated(all: readonly PolicyVersion[]): readonly PolicyVersion[] {
  return all.filter(({ hash }, at) => all[at + 1]?.hash !== hash).slice(0, MAX_VERSIONS);
}

/** Where a version came from, in words. */
function byIn(data: JsonObject): string {
  const [signer, source] = [textAt(data, 'signature', 'signer'), textAt(data, 'source')];
  if (signer !== '') return `signed by ${signer}`;
  return source === 'file' ? 'policy.yaml' : (WORDS[source] ?? '');
}

function nowOf(about: JsonObject, mode: string, file: string): Now {
  const version = textAt(about, 'policy_version') || textAt(about, 'version');
  return { hash: textAt(about, 'policy_hash'), version, mode, file };
}

function bundleOf(reader: LedgerReader, hash: string): JsonObject | null {
  const found = policyByHash(reader, hash);
  const plain: JsonValue = found.found ? JSON.parse(JSON.stringify(found.snapshot.plain)) : null;
  return isJsonObject(plain) ? plain : null;
}

function ruleRow(rule: JsonObject, owner: string, counts: RuleCounts): RuleRow {
  const id = textAt(rule, 'rule_id') || textAt(rule, 'id');
  const counted = counts.of(owner, id);
  const enabled = rule['enabled'] !== false;
  return { id, kind: textAt(rule, 'kind'), enabled, hits: counted.hits, how: howText(counted) };
}

/** A policy as people read it. */
export function indented(value: unknown): string {
  return JSON.stringify(value, undefined, 2);
}
