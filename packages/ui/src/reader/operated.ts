import { isActionName, listAt, textAt, WIDENING_ACTIONS } from '@subluminal/core-types';
import type { LedgerReader } from '@subluminal/ledger';
import {
  actionOf,
  type CallRecord,
  callsOfQuestions,
  findCallStart,
  recordOf,
  statusOf,
} from '@subluminal/records';

/** In the place of an object that no entry has. */
const NOT_KEPT = 'not kept in the record';

/**
 * The objects of operators' actions, out of what their ends keep: a host, a file, the call whose question was
 * answered. One that allowed more always has a text; one that is open, or failed, has none yet.
 */
export function operatedObjects(
  reader: LedgerReader,
  records: readonly CallRecord[],
): ReadonlyMap<CallRecord, string> {
  const done = records.filter((one) => isOperated(one) && statusOf(one) === 'success');
  const asked = new Set(done.flatMap((one) => questionOf(one) || []));
  const calls = callsOfQuestions(reader, asked);
  return new Map(
    done.map((record) => {
      const start = calls.get(questionOf(record));
      const object = start === undefined ? objectIn(reader, record) : answered(reader, record, start);
      return [record, object || (WIDENING_ACTIONS.has(actionOf(record) ?? '') ? NOT_KEPT : '')];
    }),
  );
}

function isOperated({ first: { tool, type } }: CallRecord): boolean {
  return type === 'action_pending' && typeof tool === 'string' && isActionName(tool);
}

/** The id of the question that an answer is to; empty for every other action. */
function questionOf(record: CallRecord): string {
  return (actionOf(record) ?? '').startsWith('approvals.') ? detailOf(record, 'question') : '';
}

function answered(reader: LedgerReader, record: CallRecord, start: CallRecord['first']): string {
  const { object } = recordOf(reader, start);
  const reach = detailOf(record, 'for');
  const told = reach === '' ? '' : reach === 'run' ? ', for its run' : ', once';
  return `${object ?? toolText(start)} (entry ${start.seq})${told}`;
}

function objectIn(reader: LedgerReader, record: CallRecord): string {
  const action = actionOf(record) ?? '';
  const said = (...path: readonly string[]): string => detailOf(record, ...path);
  switch (action) {
    case 'allow.add':
    case 'allow.remove':
    case 'allow.deactivate':
      return [said('entry', 'domain'), said('entry', 'port')].filter((part) => part !== '').join(':');
    case 'policy.trust':
    case 'policy.untrust':
      return said('file');
    case 'policy.reload':
      return said('policy_id') === '' ? '' : `${said('policy_id')} version ${said('policy_version')}`;
    case 'approvals.approve':
    case 'approvals.deny':
      return said('action') || (said('question') === '' ? '' : `question ${said('question')}`);
    case 'tools.approve': {
      const tools = listAt(record.last?.data ?? {}, 'detail', 'approved').map((one) =>
        textAt(one, 'tool_name'),
      );
      return `${said('server_name')}: ${tools.join(', ') || 'none'}`;
    }
    case 'tools.forget':
      return said('server_name');
    case 'hints.promote':
      return promoted(reader, said('call_id'), said('rule_id'));
    case 'ui.rule':
      return said('rule');
    case 'ui.unlock':
      return `page ${said('session')}`;
    case 'panic.end':
      return said('resumed') === 'true' ? 'all that was stopped' : 'nothing was stopped';
    default:
      return '';
  }
}

function promoted(reader: LedgerReader, callId: string, rule: string): string {
  const start = findCallStart(reader, callId);
  const lifts = `rule ${rule} lifted for its run`;
  return start === undefined
    ? lifts
    : `${recordOf(reader, start).object ?? toolText(start)} (entry ${start.seq}), ${lifts}`;
}

function toolText({ tool }: CallRecord['first']): string {
  return tool === null || typeof tool === 'string' ? (tool ?? '') : tool.join('.');
}

function detailOf({ last }: CallRecord, ...path: readonly string[]): string {
  return textAt(last?.data ?? {}, 'detail', ...path);
}
