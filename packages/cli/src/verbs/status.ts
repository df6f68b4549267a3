import { listAt, momentAt, numberAt, objectAt, textAt, type JsonObject } from '@subluminal/core-types';
import type { Command } from 'commander';
import { EXIT } from '../program/exit/codes.js';
import { askOperator } from '../gateway/door.js';
import { configDifference } from '../gateway/config-text.js';
import { countsJson, countsText, waitingCounts, type WaitingCounts } from '../inbox/counts.js';
import { policyText } from '../gateway/policy-text.js';
import { versionText } from '../gateway/version-text.js';
import { counted } from '../output/counted.js';
import { projectRemarks } from '../policy/project/remarks.js';
import { pairs, type Cell } from '../output/table.js';
import { ago, byteCount } from '../output/time.js';
import type { Does } from '../program/verb.js';
import { readDisk } from '../home/settings.js';
import { isOld, roomText } from '../world/layer/budget.js';
import { changedLayers } from '../world/layer/waiting.js';
import type { HomePaths } from '@subluminal/ipc';

/** `sub status`: the gateway, its runs, its policy and the head of its ledger. */
export function define(command: Command, does: Does): void {
  does(command, {}, async (call) => {
    const { output, session, home } = call;
    const answer = objectAt(await askOperator(home, session.now, 'gateway.status'));
    const counts = await waitingCounts(call);
    const status: JsonObject = {
      ...answer,
      socket: home.socket,
      home: home.home,
      waiting: counts === undefined ? null : countsJson(counts),
    };
    if (output.json) output.value(status);
    else
      output.lines(
        pairs(
          [...linesOf(status, counts, session.now()), ...(await layersRow(home, session.now()))],
          output.paint,
          output.width,
        ),
      );
    return EXIT.done;
  });
}

function linesOf(
  status: JsonObject,
  counts: WaitingCounts | undefined,
  now: number,
): readonly (readonly [string, Cell])[] {
  const at = (...keys: readonly string[]): string => textAt(status, ...keys);
  const started = momentAt(status, 'started_at');
  return [
    [
      'gateway',
      {
        text: `pid ${at('pid')}, version ${at('version')}${started === undefined ? '' : `, started ${ago(started, now)}`}`,
        tone: 'good',
      },
    ],
    ...versionRow(at('version')),
    ...panicRow(status),
    ...waitingRow(counts),
    ...unaskedRow(status),
    ['home', { text: at('home') }],
    ['socket', { text: at('socket') }],
    [
      'runs',
      {
        text: `${at('runs', 'live')} live, ${at('runs', 'attested')} of them attested, ${counted(Number(at('runs', 'open_calls')), 'call')} open`,
      },
    ],
    ['policy', { text: policyText(objectAt(status, 'policy'), now) }],
    ...mistakeRow(objectAt(status, 'policy', 'error')),
    ...projectRows(status),
    ...configRow(status),
    ['tools', toolsCell(status)],
    ...httpRow(status),
    ...proxyRow(status),
    ...worldsRow(status),
    [
      'ledger',
      { text: `${at('ledger', 'seq')} entries, head ${at('ledger', 'leaf')}, ${at('ledger', 'durability')}` },
    ],
    ['disk', budgetCell(status)],
    ['genesis', { text: at('ledger', 'genesis_fingerprint') }],
    ['memory', { text: `${at('ledger', 'heads_log')} (${at('ledger', 'memory')})` }],
  ];
}

/** Why `policy.yaml` is not what decides. */
function mistakeRow(error: JsonObject): readonly (readonly [string, Cell])[] {
  const message = textAt(error, 'message');
  if (message === '') return [];
  const [first] = listAt(error, 'problems');
  const what = first === undefined ? message : `line ${textAt(first, 'line')}: ${textAt(first, 'message')}`;
  const then = textAt(error, 'help') || '`sub policy lint` shows every mistake';
  const text = `policy.yaml is not in force: ${what}; the policy above decides until it is mended: ${then}`;
  return [['mistake', { text, tone: 'bad' }]];
}

/** Policy files of the projects of live runs that are not in force as they are. */
function projectRows(status: JsonObject): readonly (readonly [string, Cell])[] {
  return projectRemarks(listAt(status, 'projects', 'found')).map((text) => [
    'project',
    { text, tone: 'warn' },
  ]);
}

/** Where `config.toml` says something else than what runs. */
function configRow(status: JsonObject): readonly (readonly [string, Cell])[] {
  const difference = configDifference(status);
  if (difference === undefined) return [];
  const text = `${difference.message}; ${difference.help}`;
  return [['config', { text, tone: textAt(status, 'config', 'error', 'code') === '' ? 'warn' : 'bad' }]];
}

/** The gateway talks, and is of another version. */
function versionRow(version: string): readonly (readonly [string, Cell])[] {
  const other = versionText(version);
  return other === undefined ? [] : [['version', { text: `${other.message}: ${other.help}`, tone: 'warn' }]];
}

/** Said before everything else: nothing begins. */
function panicRow(status: JsonObject): readonly (readonly [string, Cell])[] {
  const since = textAt(status, 'panicked', 'since');
  if (since === '') return [];
  const reason = textAt(status, 'panicked', 'reason');
  const why = reason === '' ? '' : `: ${reason}`;
  return [['stopped', { text: `everything, since ${since}${why}; \`sub resume\` lets go`, tone: 'bad' }]];
}

/** Agents wait for a person. */
function waitingRow(counts: WaitingCounts | undefined): readonly (readonly [string, Cell])[] {
  if (counts === undefined || counts.size === 0) return [];
  const how = counts.has('question') ? '`sub watch` or `sub approvals list`' : '`sub approvals list`';
  const text = `${countsText(counts)}: ${how}`;
  return [['waiting', { text, tone: 'warn' }]];
}

/** Nobody is asked, as the operator wants it. */
function unaskedRow(status: JsonObject): readonly (readonly [string, Cell])[] {
  if (objectAt(status, 'questions')['asked'] !== false) return [];
  return [['questions', { text: 'off: rules that ask refuse, and nobody is asked', tone: 'warn' }]];
}

/** Of how many servers the tools are known, and how many wait for a review. */
function toolsCell(status: JsonObject): Cell {
  const servers = numberAt(status, 'tools', 'servers') ?? 0;
  const held = numberAt(status, 'tools', 'held') ?? 0;
  const pin = textAt(status, 'tools', 'pin');
  if (pin === 'off') return { text: 'not compared' };
  const known = counted(servers, 'server');
  if (held === 0) return { text: `of ${known}, all as approved` };
  const text = `of ${known}, ${held} ${pin === 'hold' ? 'held' : 'flagged'}: see \`sub tools diff\``;
  return { text, tone: 'warn' };
}

/** The door for remote servers, once there is one. */
function httpRow(status: JsonObject): readonly (readonly [string, Cell])[] {
  const problem = textAt(status, 'http', 'problem');
  const port = numberAt(status, 'http', 'port');
  if (problem !== '') return [['remote', { text: problem, tone: 'bad' }]];
  if (port === undefined) return [];
  const open = objectAt(status, 'http')['listening'] === true;
  if (!open)
    return [['remote', { text: `servers are not reached: the door at 127.0.0.1:${port} is closed` }]];
  const sessions = counted(numberAt(status, 'http', 'sessions') ?? 0, 'session');
  const requests = counted(numberAt(status, 'http', 'exchanges') ?? 0, 'request');
  return [['remote', { text: `servers through 127.0.0.1:${port}, ${sessions}, ${requests} open` }]];
}

/** Only where one is open: most people make none. */
function worldsRow(status: JsonObject): readonly (readonly [string, Cell])[] {
  const of = (key: string): number => numberAt(status, 'worlds', key) ?? 0;
  const weak = ['named', 'any'].filter((network) => of(network) > 0).map((one) => `${of(one)} \`${one}\``);
  const least = textAt(status, 'worlds', 'require');
  const isLess = least === 'named' || least === 'any';
  if (of('open') === 0 && !isLess) return [];
  const text = [`${of('open')} open`, ...weak, ...(isLess ? [`may be as weak as \`${least}\``] : [])];
  return [['worlds', { text: text.join(', '), ...(isLess || weak.length > 0 ? { tone: 'warn' } : {}) }]];
}

/** Somebody has to decide on them. */
async function layersRow(home: HomePaths, now: number): Promise<readonly (readonly [string, Cell])[]> {
  const layers = await changedLayers(home);
  if (layers.length === 0) return [];
  const { layersBytes, layersDays } = readDisk(home);
  const old = layers.filter((about) => isOld(about, layersDays, now)).length;
  const age = old === 0 ? '' : `, ${old} older than ${counted(layersDays, 'day')}`;
  const text = `${counted(layers.length, 'layer')} with changes that are in no project, ${roomText(layers, layersBytes, now)}${age}: \`sub world status\``;
  return [['layers', { text, tone: 'warn' }]];
}

/** Where connections of runs pass, and what becomes of those to names that are not listed. */
function proxyRow(status: JsonObject): readonly (readonly [string, Cell])[] {
  const mode = textAt(status, 'proxy', 'mode');
  if (mode === '') return [];
  if (mode === 'off') return [['proxy', { text: 'off: connections of runs are not seen' }]];
  const problem = textAt(status, 'proxy', 'problem');
  if (problem !== '') return [['proxy', { text: problem, tone: 'bad' }]];
  const port = numberAt(status, 'proxy', 'port');
  const place = port === undefined ? 'not listening' : `127.0.0.1:${port}`;
  const open = counted(numberAt(status, 'proxy', 'connections') ?? 0, 'connection');
  const what =
    mode === 'enforce' ? 'only what is listed passes' : 'what is not listed passes, and is recorded';
  return [['proxy', { text: `${place}, ${mode}: ${what}; ${open} open` }]];
}

/** The space of the ledger, and its bound. */
function budgetCell(status: JsonObject): Cell {
  const used = byteCount(numberAt(status, 'ledger', 'budget', 'used_bytes') ?? 0);
  const max = numberAt(status, 'ledger', 'budget', 'max_bytes');
  const level = textAt(status, 'ledger', 'budget', 'level');
  const text = max === undefined ? `${used}, no limit` : `${used} of ${byteCount(max)}`;
  if (level === 'full') return { text: `${text}: full, nothing new begins`, tone: 'bad' };
  if (level === 'previews') return { text: `${text}: no previews are kept`, tone: 'warn' };
  return level === 'warn' ? { text, tone: 'warn' } : { text };
}
