import {
  isSublError,
  type JsonObject,
  listAt,
  objectAt,
  redact,
  SublError,
  textAt,
} from '@subluminal/core-types';
import { readPolicyFile } from '@subluminal/gateway';
import type { LedgerReader, LedgerRow } from '@subluminal/ledger';
import { comparePolicies, compilePolicy, type PolicySnapshot } from '@subluminal/policy';
import { policyByHash, questionIn, refuses } from '@subluminal/records';
import type {
  PolicyCompared,
  PolicyFile,
  PolicyVersion,
  PolicyView,
  RuleRow,
} from '../../protocol/policy.js';

const DAY_MS = 24 * 3_600_000;
const MAX_VERSIONS = 50;
const PAGE = 1000;
const PATIENCE_MS = 400;

/** The policy in force, with how often each rule decided within a day, and those that were before it. */
export function policyView(reader: LedgerReader, policy: JsonObject, now: () => number): PolicyView {
  const since = now() - DAY_MS;
  const { hits, isPartial } = decisionsSince(reader, since, now);
  const bundle = objectAt(policy, 'bundle');
  return {
    policy,
    text: indented(bundle),
    rules: listAt(bundle, 'rules').map((rule) => ruleRow(rule, hits)),
    since,
    partial: isPartial,
    versions: versions(reader),
    problem: textAt(policy, 'error', 'message') || null,
  };
}

interface Hits {
  hits: number;
  refused: number;
}

function decisionsSince(
  reader: LedgerReader,
  since: number,
  now: () => number,
): { readonly hits: ReadonlyMap<string, Hits>; readonly isPartial: boolean } {
  const hits = new Map<string, Hits>();
  const until = now() + PATIENCE_MS;
  let cursor: number | null = null;
  for (;;) {
    const page: ReturnType<LedgerReader['byType']> = reader.byType('tool_call_decision', {
      limit: PAGE,
      cursor,
    });
    for (const row of page.rows) {
      if (row.ts < since) return { hits, isPartial: false };
      count(hits, row);
    }
    if (page.next === null) return { hits, isPartial: false };
    if (now() > until) return { hits, isPartial: true };
    cursor = page.next;
  }
}

function count(hits: Map<string, Hits>, row: LedgerRow): void {
  const rule = textAt(row.data, 'decision', 'rule_id');
  if (rule === '') return;
  const known = hits.get(rule) ?? { hits: 0, refused: 0 };
  known.hits += 1;
  if (refuses(row) && questionIn(row.data) === undefined) known.refused += 1;
  hits.set(rule, known);
}

function ruleRow(rule: JsonObject, hits: ReadonlyMap<string, Hits>): RuleRow {
  const id = textAt(rule, 'rule_id') || textAt(rule, 'id');
  const { hits: all, refused } = hits.get(id) ?? { hits: 0, refused: 0 };
  return { id, kind: textAt(rule, 'kind'), enabled: rule['enabled'] !== false, hits: all, refused };
}

/** The versions that were in force, newest first; one that was loaded again behind itself counts once. */
function versions(reader: LedgerReader): readonly PolicyVersion[] {
  const all = reader.byType('policy_loaded', { limit: MAX_VERSIONS }).rows.map(({ data, seq, ts }) => ({
    seq,
    ts,
    id: textAt(data, 'policy', 'policy_id'),
    hash: textAt(data, 'policy', 'policy_hash'),
    by: byIn(data),
  }));
  return all.filter(({ hash }, at) => all[at + 1]?.hash !== hash);
}

/** Where a policy came from, in words. */
function byIn(data: JsonObject): string {
  const [signer, source] = [textAt(data, 'signature', 'signer'), textAt(data, 'source')];
  if (signer !== '') return `signed by ${signer}`;
  switch (source) {
    case 'builtin':
      return 'built in';
    case 'file':
      return 'policy.yaml';
    case 'project':
      return textAt(data, 'file');
    case 'run':
      return '`sub run --policy`';
    case 'stored':
      return 'the one before, kept';
    default:
      return '';
  }
}

/** Two policies that were in force. @throws SublError `not_found` where one cannot be had. */
export function compared(reader: LedgerReader, oldHash: string, newHash: string): PolicyCompared {
  return comparison(snapshotOf(reader, oldHash), snapshotOf(reader, newHash));
}

/** The policy file as it is now, against the policy in force, whose hash is `current`. */
export function policyFile(reader: LedgerReader, path: string, current: string): PolicyFile {
  try {
    const compiled = compilePolicy(readPolicyFile(path), { filename: 'policy.yaml' });
    if (compiled.ok)
      return { compared: comparison(snapshotOf(reader, current), compiled.snapshot), problem: null };
    const [{ line, message } = { line: 1, message: 'it has a mistake' }] = compiled.problems;
    return { compared: null, problem: `policy.yaml:${line}: ${redact(message).text}` };
  } catch (error) {
    if (!isSublError(error)) throw error;
    return { compared: null, problem: error.message };
  }
}

function comparison(before: PolicySnapshot, after: PolicySnapshot): PolicyCompared {
  const { changes, loosened, tightened } = comparePolicies(before, after);
  const diff: unknown = JSON.parse(JSON.stringify({ loosened, tightened, changes }));
  return {
    old: { hash: before.policy_hash, text: indented(before.plain) },
    new: { hash: after.policy_hash, text: indented(after.plain) },
    diff: diff as JsonObject,
  };
}

function snapshotOf(reader: LedgerReader, hash: string): PolicySnapshot {
  const found = policyByHash(reader, hash);
  if (found.found) return found.snapshot;
  throw new SublError('not_found', `the policy \`${hash}\` cannot be had: ${found.why}`);
}

function indented(value: unknown): string {
  return JSON.stringify(value, undefined, 2);
}
