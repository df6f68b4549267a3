import type { JsonObject } from '@subluminal/core-types';
import { policyRef, type PolicySnapshot } from '@subluminal/policy';
import { counted } from '../../output/counted.js';
import { clipObject, escapeText } from '../../output/escape.js';
import type { Surface } from '../../output/style.js';
import { table, wrapped } from '../../output/table.js';
import { byteCount, dayAndTime } from '../../output/time.js';
import { objectCell } from '../../record/subject-in.js';
import type { LeftOut } from '../../transcripts/bounds.js';
import type { RefusedGroup, RefusedThen, TranscriptReplay } from './refused.js';

const COLUMNS = [
  { title: 'LAST' },
  { title: 'CALLS', align: 'right', spare: 1 },
  { title: 'TOOL', max: 40, min: 12 },
  { title: 'OBJECT', max: 100, min: 24 },
] as const;

/** Different calls of one rule that are shown to a person. */
const MAX_SHOWN = 20;
/** A longer object is cut in its middle, for programs too: a session holds whole files. */
const MAX_OBJECT = 8192;

/** The question that the replay answers. */
export interface Asked {
  readonly snapshot: PolicySnapshot;
  readonly client: string;
  /** The moment from which on calls count, in words. */
  readonly when: string;
  readonly files: number;
  readonly left: LeftOut;
}

/** The calls that would have been refused, and their sum, for programs; the names are in docs/cli.md. */
export function* reportJson(asked: Asked, replay: TranscriptReplay): Generator<JsonObject> {
  for (const { calls } of replay.groups) for (const call of calls) yield callJson(call);
  const { snapshot, client, files, left } = asked;
  yield {
    kind: 'summary',
    policy: { ...policyRef(snapshot), mode: snapshot.mode },
    client,
    files,
    calls: replay.calls,
    refused: replay.refused,
    not_reached: replay.notReached,
    left_out: { ...left },
    groups: replay.groups.map(({ rule, reason, count }) => ({ rule_id: rule, reason_code: reason, count })),
  };
}

/** The same for people. */
export function reportLines(asked: Asked, replay: TranscriptReplay, surface: Surface): readonly string[] {
  const { snapshot, client, when, files } = asked;
  const { policy_id: id, version, mode } = snapshot;
  const numbers = new Intl.NumberFormat('en-US');
  const refused = `${numbers.format(replay.refused)} of ${numbers.format(replay.calls)} calls`;
  const behind = `${counted(replay.notReached, 'call')} more behind the end of a session`;
  const head = [
    `${id} ${version}, mode ${mode}: ${counted(files, 'session file')} of ${client}`,
    `${when} ${refused} would have been refused`,
    ...(replay.notReached === 0 ? [] : [behind]),
  ];
  return [
    ...head.flatMap((line) => wrapped(escapeText(line), surface.width)),
    ...replay.groups.flatMap((group) => ['', ...groupLines(group, surface)]),
  ];
}

/** The parts that were left out; undefined where there are none. */
export function leftOutText({ bad, long, files, bytes }: LeftOut): string | undefined {
  const parts = [
    bad === 0 ? '' : counted(bad, 'line') + ' that cannot be read',
    long === 0 ? '' : counted(long, 'line') + ' that are too long',
    files === 0 ? '' : counted(files, 'file') + ' or folders that cannot be read, or are too many',
    bytes === 0 ? '' : `${byteCount(bytes)} that are too much`,
  ].filter((part) => part !== '');
  return parts.length === 0 ? undefined : `left out: ${parts.join(', ')}`;
}

function groupLines({ rule, reason, count, calls }: RefusedGroup, surface: Surface): readonly string[] {
  const name = rule === null ? reason : `rule ${rule}`;
  const all = alike(calls);
  const shown = all.slice(0, MAX_SHOWN);
  const more = count - shown.reduce((sum, one) => sum + one.count, 0);
  return [
    escapeText(`${name}: ${counted(count, 'call')}`),
    ...table(
      COLUMNS,
      shown.map(({ last, count: times }) => [
        { text: dayAndTime(last.ts), tone: 'dim' },
        { text: String(times) },
        { text: `${last.server}.${last.tool}` },
        objectCell(last.object),
      ]),
      surface,
    ),
    ...(more > 0 ? [`… ${counted(more, 'call')} more (\`--json\`)`] : []),
  ];
}

/** Calls of one tool on one object in one, the most frequent first. */
function alike(calls: readonly RefusedThen[]): readonly { last: RefusedThen; count: number }[] {
  const found = new Map<string, { last: RefusedThen; count: number }>();
  for (const last of calls) {
    const key = JSON.stringify([last.server, last.tool, last.object]);
    found.set(key, { last, count: (found.get(key)?.count ?? 0) + 1 });
  }
  return [...found.values()].toSorted((a, b) => b.count - a.count);
}

function callJson({ ts, server, tool, object, ruling }: RefusedThen): JsonObject {
  return {
    kind: 'call',
    ts: new Date(ts).toISOString(),
    server_name: server,
    tool_name: tool,
    object: object === null ? null : clipObject(object, MAX_OBJECT),
    action: ruling.action,
    rule_id: ruling.rule_id,
    reason_code: ruling.reason_code,
  };
}
