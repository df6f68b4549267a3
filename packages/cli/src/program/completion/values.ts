import { listAt, textAt } from '@subluminal/core-types';
import type { GatewayClient } from '@subluminal/ipc';
import type { LedgerReader } from '@subluminal/ledger';
import { escapeText } from '../../output/escape.js';
import { starters } from '../../policy/starters.js';
import type { Call } from '../call.js';
import type { Kind } from './kinds.js';

/** A person waits at a prompt: a gateway that is slower than this has nothing to say. */
const PATIENCE = { connectTimeoutMs: 100, timeoutMs: 150 } as const;
const MAX_RUNS = 30;
/** Calls whose servers are listed. */
const MAX_CALLS = 500;

/** One value, and what a person reads beside it. */
export type Value = readonly [text: string, about: string];

/** The values of a kind as they are now. */
export async function valuesOf(call: Call, kind: Kind): Promise<readonly Value[]> {
  switch (kind) {
    case 'starters':
      return starters(call.session.starterPolicies).map(({ name, about }) => [name, about]);
    case 'runs':
      return ofRecord(call, recentRuns);
    case 'servers':
      return ofRecord(call, recentServers);
    case 'hosts':
      return listedHosts(call);
    case 'approvals':
      return waiting(call);
  }
}

/** Loaded late, as the others: who presses TAB does not wait for what another kind needs. */
async function ofRecord(
  { home }: Call,
  read: (reader: LedgerReader) => readonly Value[],
): Promise<readonly Value[]> {
  const { openLedgerReader } = await import('@subluminal/ledger');
  const reader = openLedgerReader(home.ledgerDb);
  try {
    return read(reader);
  } finally {
    reader.close();
  }
}

/** By the end of their ids, as tables have them: those that go on first. */
function recentRuns(reader: LedgerReader): readonly Value[] {
  const runs = reader.runs({ limit: MAX_RUNS, cursor: null }).rows;
  return runs
    .toSorted((a, b) => Number(b.end === null) - Number(a.end === null))
    .map(({ runId, start, end }) => {
      const agent = textAt(start.data, 'agent_id');
      return [runId.slice(-6), end === null ? `${agent}, running` : agent];
    });
}

function recentServers(reader: LedgerReader): readonly Value[] {
  const { rows } = reader.byType('tool_call_start', { limit: MAX_CALLS });
  const pinned = reader.byType('tools_pinned', { limit: MAX_CALLS }).rows;
  const names = [
    ...rows.map(({ tool }) => (Array.isArray(tool) ? String(tool[0]) : '')),
    ...pinned.map(({ data }) => textAt(data, 'server_name')),
  ];
  return [...new Set(names)].map((name) => [name, 'server']);
}

async function listedHosts({ home, session }: Call): Promise<readonly Value[]> {
  const { dataOf, withGateway } = await import('../../gateway/door.js');
  const list = async (client: GatewayClient): Promise<readonly Value[]> => {
    const data = dataOf(await client.request('allow.list', {}, PATIENCE));
    return listAt(data, 'entries').map((one) => [textAt(one, 'domain'), 'on the allowlist']);
  };
  return withGateway(home, 'operator', session.now, list, PATIENCE);
}

async function waiting(call: Call): Promise<readonly Value[]> {
  const [{ nameOf, waitingIn }, { subjectText }] = await Promise.all([
    import('../../inbox/waiting.js'),
    import('../../inbox/subject.js'),
  ]);
  const all = await waitingIn(call, PATIENCE);
  return all.filter(({ isOpen }) => isOpen).map((one) => [nameOf(one), `${one.kind}: ${subjectText(one)}`]);
}

/**
 * A line for the shell: agents choose the names of servers, so a value with anything in it that some shell
 * reads as more than a word is left out.
 */
export function valueLine([text, about]: Value): readonly string[] {
  if (!/^[A-Za-z0-9][A-Za-z0-9_.:/@-]{0,99}$/.test(text)) return [];
  return [
    `${text}\t${escapeText(about)
      .replaceAll(/[^ -~]/g, '?')
      .slice(0, 60)}`,
  ];
}
