import type { Credential, Ticket } from '@subluminal/core-types';

const KEY = /^[A-Za-z0-9_-]{43}$/;
const KINDS = ['operator', 'enrol', 'run'] as const satisfies readonly Credential['kind'][];
const CLIENTS = [
  'claude',
  'codex',
  'headless',
  'custom',
  'unknown',
] as const satisfies readonly Ticket['client'][];
const ENVS = ['dev', 'ci', 'prod', 'unknown'] as const satisfies readonly Ticket['env'][];

/**
 * The credential in a value, or undefined. Checked by hand, like everything that a shim reads, because
 * loading the schema library would double its start and its memory.
 */
export function credentialOf(value: unknown): Credential | undefined {
  if (!isRecord(value)) return undefined;
  const { v, id, epoch, ledger_id: ledgerId, key } = value;
  const kind = oneOf(KINDS, value['kind']);
  if (v !== 1 || kind === undefined || !isLabel(id) || !isLabel(ledgerId)) return undefined;
  if (typeof epoch !== 'number' || !Number.isSafeInteger(epoch) || epoch < 1) return undefined;
  if (typeof key !== 'string' || !KEY.test(key)) return undefined;
  return { v, kind, id, epoch, ledger_id: ledgerId, key };
}

/** The ticket in a value, or undefined. A ticket holds the key of its own run and no other. */
export function ticketOf(value: unknown): Ticket | undefined {
  if (!isRecord(value)) return undefined;
  const { v, run_id: runId, agent_id: agentId, attested } = value;
  const client = oneOf(CLIENTS, value['client']);
  const env = oneOf(ENVS, value['env']);
  const credential = credentialOf(value['credential']);
  if (v !== 1 || !isLabel(runId) || !isLabel(agentId) || typeof attested !== 'boolean') return undefined;
  if (client === undefined || env === undefined) return undefined;
  if (credential === undefined || credential.kind !== 'run' || credential.id !== runId) return undefined;
  return { v, run_id: runId, agent_id: agentId, client, env, attested, credential };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isLabel(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= 256;
}

function oneOf<const T extends string>(values: readonly T[], value: unknown): T | undefined {
  return values.find((candidate) => candidate === value);
}
