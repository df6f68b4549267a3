import { textAt } from '@subluminal/core-types';
import type { LedgerRow } from '@subluminal/ledger';
import {
  actionOf,
  connectionOf,
  destinationOf,
  factsOf,
  outcomeOf,
  statusOf,
  toolOf,
  wordFor,
  type CallRecord,
} from '@subluminal/records';
import { carriedText } from './carried-text.js';
import { filesText } from './files-text.js';
import { deciderText, layerPlace, leftText } from './layer-text.js';
import { columnsOf, padded } from '../output/columns.js';
import { clip, clipObject, escapeText } from '../output/escape.js';
import { byteCount, clockTime, span } from '../output/time.js';
import { toneOf, type Surface, type Tone } from '../output/style.js';

const MAX_NAME = 50;
const NAME_WIDTH = 26;
const SEQ_WIDTH = 5;
/** Time of day, run and verdict, with the gaps behind them and behind the number. */
const BESIDE_SEQ = 8 + 2 + 2 + 6 + 2 + 9 + 2;
/** An object in fewer columns says nothing. */
const MIN_OBJECT = 8;
/** So much of a server's name tells it from others. */
const MIN_SERVER = 3;
const MAX_DETAIL = 100;
const MAX_WHOLE = 10_000;
/** Half a reason is of no use. */
const MIN_DETAIL = 16;
/** In fewer columns every word of a reason counts. */
const MIN_REASON = 40;

/** Which server and tool, or which action and where to. */
export function nameOf(record: CallRecord): string {
  const tool = toolOf(record);
  if (tool !== null) return `${tool[0]}.${tool[1]}`;
  const connection = connectionOf(record);
  if (connection !== undefined) return `${connection.action} ${connection.place}`;
  const destination = destinationOf(record.first);
  const account = textAt(record.first.data, 'account');
  const whose = account === '' ? '' : `as ${account}`;
  return [actionOf(record) ?? 'unknown action', destination, whose, listedPlace(record), layerPlace(record)]
    .filter((part) => part !== '')
    .join(' ');
}

/** The place that a change of the allowlist is about. */
function listedPlace({ last }: CallRecord): string {
  const about = (key: string): string => textAt(last?.data ?? null, 'detail', 'entry', key);
  const [host, port] = [about('domain'), about('port')];
  if (host === '') return '';
  return `${host}${port === '' ? '' : `:${port}`}${about('allow_private') === 'true' ? ' private' : ''}`;
}

/** The one word of people that tells what became of it. */
export function verdictOf(record: CallRecord): { readonly text: string; readonly tone: Tone } {
  const text = wordFor(outcomeOf(record));
  return { text, tone: toneOf(text) };
}

/** For what went wrong the reason, in words; then the time taken and the bytes answered. */
function detailOf(record: CallRecord): string {
  const facts = factsOf(record);
  const connection = connectionOf(record);
  const carried = connection === undefined ? '' : carriedText(connection);
  // A refused call took no time.
  const { latencyMs = 0, bytesOut = 0 } = facts;
  const took = [latencyMs === 0 ? '' : span(latencyMs), bytesOut === 0 ? '' : byteCount(bytesOut)];
  const files = changesText(record);
  const parts = wentWell(record)
    ? [wouldBe(record), files, ...took, carried]
    : [carried, reasonOf(record), files, ...took];
  return parts.filter((part) => part !== '').join('  ');
}

/** Files that were changed in a layer; of a decision on one also how many it left, and whose it was. */
export function changesText(record: CallRecord): string {
  const counts = [filesText(record), leftText(record)].filter((part) => part !== '').join(', ');
  return [counts, deciderText(record)].filter((part) => part !== '').join(' ');
}

/** The answer of a policy that only observes, if it would have refused the call. */
export function wouldBe(record: CallRecord): string {
  const shadow = textAt(record.decision?.data ?? null, 'decision', 'shadow');
  return shadow === '' ? '' : `observe: would be ${wordFor(shadow)}, ${reasonOf(record)}`;
}

/** Why it was refused or allowed (the rule or code) or failed (the error), and the words for it. */
export function reasonOf(record: CallRecord): string {
  const { ruleId, reasonCode, reason, failed, of } = factsOf(record);
  // The words of a limit begin with its rule.
  const isNamed = ruleId !== '' && reason.startsWith(`rule \`${ruleId}\``);
  const source = isNamed ? '' : ruleId === '' || failed ? reasonCode : `rule ${ruleId}`;
  const whose = of === 'home' || failed ? '' : `policy of the ${of}`;
  return [whose, source, reason].filter((part) => part !== '').join(': ');
}

/** A reason in so many columns: where there is little room the rule goes by its name alone. */
export function shortReason(text: string, width: number): string {
  return clip(width < MIN_REASON ? text.replace(/^rule (?=\S+: )/, '') : text, width);
}

/** The tool and its object in so many columns: the object is cut. */
export function subjectOf(record: CallRecord, width: number): string {
  const object = escapeText(objectIn(record));
  const share = Math.max(MIN_OBJECT, Math.floor((width * 3) / 5));
  const wanted = Math.min(columnsOf(object), share);
  const name = nameIn(record, Math.min(MAX_NAME, width - (wanted === 0 ? 0 : wanted + 1)));
  const room = width - columnsOf(name) - 1;
  return wanted === 0 || room < Math.min(MIN_OBJECT, wanted) ? name : `${name} ${clipObject(object, room)}`;
}

/** The object of a call; a file of the account is told as reports tell it. */
function objectIn({ object, decision }: CallRecord): string {
  const home = textAt(decision?.data ?? null, 'facts', 'readings', 'place', 'home');
  const isBelow = home !== '' && home !== '/' && object?.startsWith(`${home}/`) === true;
  return isBelow ? `~${object.slice(home.length)}` : (object ?? '');
}

/**
 * The name in so many columns: that of the server is shortened first, and left out where it has no room, and
 * for a client's own tool.
 */
function nameIn(record: CallRecord, width: number): string {
  const whole = escapeText(nameOf(record));
  const [server = '', tool = ''] = (toolOf(record) ?? []).map((part) => escapeText(part));
  if (tool !== '' && textAt(record.first.data, 'call', 'via') !== '') return clip(tool, width);
  const room = width - columnsOf(tool) - 1;
  if (columnsOf(whole) <= width || tool === '') return clip(whole, width);
  return room < MIN_SERVER ? clip(tool, width) : `${clip(server, room)}.${tool}`;
}

/** One line about one call or action, as `tail` prints it. */
export function recordLine(record: CallRecord, { paint, width }: Surface): string {
  const verdict = verdictOf(record);
  const details = escapeText(detailOf(record));
  const left = width - BESIDE_SEQ - Math.max(SEQ_WIDTH, String(record.first.seq).length);
  const least = Math.max(MIN_OBJECT, Math.min(NAME_WIDTH, left));
  // A short detail leaves the rest of the line to the object; a long one half of it.
  const most = Math.max(
    least,
    left - 2 - Math.min(columnsOf(details), Math.max(MIN_DETAIL, Math.floor(left / 2))),
  );
  const name = padded(subjectOf(record, most), least);
  const room = left - columnsOf(name) - 2;
  const detail =
    room < MIN_SERVER
      ? ''
      : shortReason(details, Number.isFinite(width) ? Math.min(MAX_DETAIL, room) : MAX_WHOLE);
  return [...lineStart(record.first, paint), paint(verdict.tone, verdict.text.padEnd(9)), name, detail]
    .join('  ')
    .trimEnd();
}

/** The beginning of a line of `tail`: when, the number that `show` and `why` take, and the run. */
export function lineStart({ ts, seq, runId }: LedgerRow, paint: Surface['paint']): readonly string[] {
  return [clockTime(ts), String(seq).padStart(SEQ_WIDTH), shortRun(runId).padEnd(6)].map((text) =>
    paint('dim', text),
  );
}

/** The end of a run's id, which tells runs apart at a glance; the beginning is the time. */
export function shortRun(runId: string | null): string {
  return runId === null ? '-' : escapeText(runId.slice(-6));
}

function wentWell(record: CallRecord): boolean {
  const decision = record.decision?.code ?? 'ALLOW';
  return decision === 'ALLOW' && (statusOf(record) === null || verdictOf(record).tone === 'good');
}
