import type { LedgerReader, LedgerRow } from '@subluminal/ledger';
import { listAt, PLANE_ENTRIES, textAt, textsAt, valueAt } from '@subluminal/core-types';
import { reasonText } from '@subluminal/plane';
import {
  callOf,
  endIn,
  isLeftOut,
  isOfRecord,
  LiveRecords,
  wordFor,
  type CallRecord,
} from '@subluminal/records';
import { projectRemarks } from '../policy/project/remarks.js';
import { INNER_ACTIONS } from './inner-actions.js';
import { unusualText } from './unusual-text.js';
import { escapeText } from '../output/escape.js';
import { painter, type Surface } from '../output/style.js';
import { wrapped } from '../output/table.js';
import { lineStart, recordLine } from './lines.js';

/** Words in fewer columns cannot be read. */
const MIN_TEXT = 20;

/** Merges entries into one line a call, as they come, with a line for what else people want to know of. */
export class LiveLines {
  readonly #reader: LedgerReader;
  readonly #surface: Surface;
  readonly #records: LiveRecords;

  constructor(reader: LedgerReader, surface: Surface, now: () => number) {
    this.#reader = reader;
    this.#surface = surface;
    this.#records = new LiveRecords(reader, now);
  }

  /** The lines that an entry completes. */
  push(row: LedgerRow): readonly string[] {
    return isOfRecord(row) ? this.#told(this.#records.push(row)) : this.#happening(row);
  }

  /** The lines of calls that have been open for long and were not told of yet. */
  slow(): readonly string[] {
    return this.#told(this.#records.slow());
  }

  #told(records: readonly CallRecord[]): readonly string[] {
    return records
      .filter((record) => !isLeftOut(record, INNER_ACTIONS))
      .map((record) => recordLine(record, this.#surface));
  }

  /** It is answered by the number of its call, as `sub approvals list` shows it. */
  #question(row: LedgerRow): string {
    const seq = callOf(this.#reader, row)?.first.seq;
    const name = seq === undefined ? escapeText(textAt(row.data, 'question', 'id')) : String(seq);
    return `${happening(row) ?? ''}: \`sub approvals approve ${name}\`, or \`deny\``;
  }

  #happening(row: LedgerRow): readonly string[] {
    const text = row.type === 'approval_requested' ? this.#question(row) : happening(row);
    if (text === undefined) return [];
    const { paint, width } = this.#surface;
    const start = lineStart(row, paint);
    const before = lineStart(row, painter(false)).join('  ').length + 2;
    return wrapped(text, Math.max(MIN_TEXT, width - before)).map((part, at) =>
      [...(at === 0 ? start : [' '.repeat(before - 2)]), paint('bold', part)].join('  '),
    );
  }
}

/** An entry that is no call, in words. Undefined for those that only programs care about. */
export function happening(row: LedgerRow): string | undefined {
  const says = (...keys: readonly string[]): string => escapeText(textAt(row.data, ...keys));
  switch (row.type) {
    case 'run_start':
      return [`run of ${says('agent_id')} (${says('client')}) started`, ...foundText(row)].join('; ');
    case 'run_end':
      return [`run ${wordFor(row.code ?? 'ended')}`, unusualText(row.data)]
        .filter((part) => part !== undefined)
        .join(', ');
    case 'policy_loaded': {
      const name = `policy ${says('policy', 'policy_id')} ${says('policy', 'policy_version')}`;
      if (says('source') === 'run') return `${name} narrows the run`;
      if (says('source') === 'project')
        return `${name} of ${says('file')} narrows the run${says('ended') === 'true' ? ' no more' : ''}`;
      if (says('source') === 'home') return `${name} decides from here on`;
      return row.runId === null ? `${name} loaded` : `${name} allows a call that another one had allowed`;
    }
    case 'breaker_trip':
      return `breaker ${says('breaker', 'rule_id')} tripped (${says('breaker', 'reason_code')})`;
    case 'hint_promoted':
      return `rule ${says('rule_id')} waived in this run for call ${says('call', 'call_id')}`;
    case 'settings_loaded':
      return settingsText(row);
    case 'settings_refused':
      return `config.toml was not loaded: ${says('error', 'code')}; see \`sub doctor\``;
    case 'policy_refused':
      return `policy.yaml was not loaded: ${says('error', 'code')}${placeOf(row)}`;
    case 'run_ingested':
      return `${says('count')} events of run ${says('run_id')} of another place ingested (${says('key')})`;
    case 'resumed':
      return 'what was stopped may go on';
    case 'gateway_start':
      return 'gateway started';
    case 'gateway_stop':
      return 'gateway stopped';
    case 'anomaly':
      return `anomaly ${says('kind')}: ${says('summary')}`;
    case 'tools_pinned':
      if (says('change') === 'unended') return `the list of tools of ${says('server_name')} does not end`;
      if (says('change') === 'list') return `the list of tools of ${says('server_name')} is another`;
      return `tools of ${says('server_name')} pinned${says('change') === 'client' ? ' for another client' : ''} (${says('count')}${says('shared', 'count') === '' ? '' : `, ${says('shared', 'count')} under the name of another server's`})`;
    case 'tools_held':
      return `tools of ${says('server_name')} ${says('mode') === 'hold' ? 'held' : 'flagged'} (${says('count')}): see \`sub tools diff\``;
    case 'tools_approved':
      return `tools of ${says('server_name')} approved (${says('count')})`;
    case 'secret_injection':
      return says('secret', 'success') === 'true'
        ? `${says('secret', 'server_name')} got ${GOT_AS.get(says('secret', 'inject')) ?? ''}${says('secret', 'inject_as')} (${says('secret', 'source')} ${says('secret', 'secret_ref')})`
        : `${says('secret', 'server_name')} was not ${says('secret', 'inject') === 'header' ? 'asked' : 'started'}: no ${says('secret', 'inject_as')} (${says('secret', 'source')} ${says('secret', 'secret_ref')})`;
    case 'secrets_told':
      return 'a server has its secrets still: the gateway keeps them out of the record again';
    case 'secret_changed':
      return `secret ${says('secret', 'name') || says('secret', 'secret_ref')} ${says('secret', 'change')}`;
    case 'account_changed':
      return `${says('account', 'kind')} account ${says('account', 'name')} ${says('account', 'change')}`;
    case 'spool_ingested':
      return row.code === 'success'
        ? `calls made while no gateway answered: ${says('calls')}`
        : `what was done while no gateway answered is not believed (${says('reason')})`;
    case 'message_dropped':
      return `message dropped (${says('reason')})`;
    case 'approval_requested':
      return `a person is asked (rule ${says('question', 'rule_id')})`;
    case 'approval_granted':
    case 'approval_denied':
      return answerText(row);
    case 'hook_event':
      return hookText(row);
    case 'plane.boundary':
      return boundaryText(row);
    case 'plane.steer':
      return `told the agent: ${says('text')}`;
    default:
      return undefined;
  }
}

/** The answer to a question about a call; undefined for one about an action, which has a line of its own. */
function answerText(row: LedgerRow): string | undefined {
  const end = endIn(row);
  if (end === undefined) return undefined;
  const rule = escapeText(textAt(row.data, 'question', 'rule_id'));
  const how = escapeText(end.how);
  if (end.answer === 'closed') return `the question of rule ${rule} was closed (${how.replaceAll('_', ' ')})`;
  const answer = end.answer === 'no' ? 'no' : how === 'run' ? 'yes, for the run' : 'yes, once';
  return `rule ${rule} was answered ${answer}${end.said === '' ? '' : ` (${escapeText(end.said)})`}`;
}

/** Where the work of an agent changed, and why. */
function boundaryText({ data }: LedgerRow): string | undefined {
  const read = PLANE_ENTRIES['plane.boundary'].safeParse(data);
  if (!read.success) return undefined;
  const { from, of, to, why } = read.data;
  const whose = of.agent === '' ? '' : `subagent ${of.agent} of `;
  const session = of.client === 'run' ? 'the run' : `session ${of.session}`;
  return escapeText(`boundary in ${whose}${session}: ${reasonText(why, from, to)}`);
}

/** The event of a hook that ought not to be; all others stand in the record alone. */
function hookText({ data, tool }: LedgerRow): string | undefined {
  const named = escapeText(typeof tool === 'string' ? tool : (tool ?? []).join('.'));
  if (textAt(data, 'hook', 'message') === 'missing')
    return `the client called ${named}, and no message of that passed the gateway`;
  if (valueAt(data, 'facts', 'input_changed') === true)
    return `${named} was called with other arguments than were decided on: another hook changed them`;
  if (valueAt(data, 'facts', 'unguarded_start') === true)
    return `${named} was called before its hook could be asked, so nothing decided it`;
  return undefined;
}

/** How a server got its secret, where that is no variable. */
const GOT_AS: ReadonlyMap<string, string> = new Map([
  ['egress', 'a placeholder as '],
  ['header', 'the header '],
]);

/** The line of the first mistake, where there is one. */
function placeOf({ data }: LedgerRow): string {
  const line = textAt(listAt(data, 'problems')[0] ?? {}, 'line');
  return line === '' ? '' : ` (line ${line}): see \`sub policy lint\``;
}

const MAX_SHOWN = 4;

/** The changes that a changed `config.toml` has made. */
function settingsText({ data }: LedgerRow): string {
  const changes = listAt(data, 'changes').map((change) => {
    const [key, from, to] = ['key', 'from', 'to'].map((name) => escapeText(textAt(change, name)));
    return from === '' && to === '' ? key : `${key} ${from || 'unset'} → ${to || 'unset'}`;
  });
  const more = changes.length > MAX_SHOWN ? [`${changes.length - MAX_SHOWN} more`] : [];
  const none = data['before'] === 'unknown' ? 'the settings of before are not known' : 'nothing yet';
  const shown = changes.length === 0 ? [none] : [...changes.slice(0, MAX_SHOWN), ...more];
  const waiting = textsAt(data, 'waiting').slice(0, MAX_SHOWN);
  const rest =
    waiting.length === 0 ? '' : `; at a restart: ${waiting.map((key) => escapeText(key)).join(', ')}`;
  const loosened = data['loosened'] === true ? ' (looser)' : '';
  return `config.toml loaded: ${shown.join(', ')}${loosened}${rest}`;
}

/** The policy files of projects that are not in force as they are. */
function foundText({ data }: LedgerRow): readonly string[] {
  return projectRemarks(listAt(data, 'run', 'projects'));
}
