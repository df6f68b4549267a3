import { objectAt, textAt, type JsonValue } from '@subluminal/core-types';
import type { LedgerReader, LedgerRow } from '@subluminal/ledger';
import type { CallRecord } from './record.js';

/** Entries of the run that are looked through: a client tells of a call right before and after it is made. */
const BEFORE = 64;
const LOOKED = 512;

/** The entries in which a client's hooks tell of a call whose message passed the gateway, in order. */
export function hooksOf(reader: LedgerReader, { first, last }: CallRecord): readonly LedgerRow[] {
  const id = clientIdOf(first.data);
  if (id === undefined || first.runId === null) return [];
  const { rows } = reader.byRun(first.runId, {
    order: 'asc',
    limit: LOOKED,
    cursor: Math.max(0, first.seq - BEFORE),
  });
  const end = (last ?? first).seq + BEFORE;
  return rows.filter(
    ({ seq, type, data }) =>
      type === 'hook_event' && seq <= end && textAt(data, 'hook', 'tool_use_id') === id,
  );
}

/** The client's own id of a call, where it says one. */
function clientIdOf(data: JsonValue): string | undefined {
  const context = objectAt(data, 'call', 'context');
  for (const name of ['tool_use_id', 'claudecode/toolUseId', 'callId']) {
    const id = context === undefined ? '' : textAt(context, name);
    if (id !== '') return id;
  }
  return undefined;
}

const CLIENTS: Readonly<Record<string, string>> = {
  claude_hook: 'a hook of Claude Code',
  codex_hook: 'a hook of Codex',
  world_exec: 'a world',
};

/** How a call that is no message of MCP was seen, and by whose session; undefined for a message. */
export function seenBy({ first: { data } }: CallRecord): string | undefined {
  const via = textAt(data, 'call', 'via');
  if (via === '') return undefined;
  const said = (name: string): string => textAt(data, 'call', 'context', name);
  const agent = said('agent_type') || said('agent_id');
  const parts = [
    CLIENTS[via] ?? via,
    said('session') === '' ? '' : `session ${said('session')}`,
    agent === '' ? '' : `subagent ${agent}`,
    said('permission_mode') === '' ? '' : `mode ${said('permission_mode')}`,
  ];
  return parts.filter((part) => part !== '').join(', ');
}
