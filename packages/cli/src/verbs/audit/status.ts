import { existsSync } from 'node:fs';
import { listAt, numberAt, objectAt, textAt, type JsonObject } from '@subluminal/core-types';
import { assertHome, type HomePaths } from '@subluminal/ipc';
import { nameOfMissing } from '@subluminal/ledger';
import { standingJson, standingOf, type Standing } from '@subluminal/records';
import type { Command } from 'commander';
import { subjectOf } from '../../audit/memory.js';
import { EXIT } from '../../program/exit/codes.js';
import { askOperator } from '../../gateway/door.js';
import { counted } from '../../output/counted.js';
import { pairs, type Cell } from '../../output/table.js';
import { ago, byteCount } from '../../output/time.js';
import type { Call } from '../../program/call.js';
import { subVerb, type Does } from '../../program/verb.js';
import { withRecord } from '../../record/open.js';
import { attempted } from '../../program/attempt.js';

/**
 * `sub audit status`: what protects the record, and what to do next. Reads the file; proves nothing: see
 * `verify`.
 */
export function defineStatus(group: Command, does: Does): void {
  does(
    subVerb(group, 'status', 'show what the ledger holds, what protects it, and what to do next'),
    {},
    async (call) => {
      const status = await examine(call);
      if (call.output.json) call.output.value(status);
      else
        call.output.lines(pairs(linesOf(status, call.session.now()), call.output.paint, call.output.width));
      return EXIT.done;
    },
  );
}

async function examine(call: Call): Promise<JsonObject> {
  const { home, session } = call;
  assertHome(home);
  const standing = await withRecord(home, (reader) => standingOf(reader, home.ledgerDb));
  const { headsLog } = subjectOf(home, undefined, undefined, session.environment.stateFolders);
  const memory = headsLog !== undefined && existsSync(headsLog) ? headsLog : null;
  const gateway = await liveFacts(home, session.now);
  const next = nextStep(standing, memory, gateway);
  return { ...standingJson(standing), heads_log: memory, gateway, next };
}

/** The facts that only a running gateway knows. Null where none answers. */
async function liveFacts(home: HomePaths, now: () => number): Promise<JsonObject | null> {
  const status = await attempted(askOperator(home, now, 'gateway.status'));
  if (status === undefined) return null;
  const ledger = objectAt(status, 'ledger');
  const { durability = null, queue_depth: queueDepth = null, budget = null, memory = null } = ledger;
  return { durability, queue_depth: queueDepth, budget, memory };
}

function nextStep(
  { mistake, segments: { needed }, anchor }: Standing,
  memory: string | null,
  gateway: JsonObject | null,
): string {
  if (mistake !== null) return 'run `sub audit verify`: it names the first entry that is wrong';
  if (needed !== undefined)
    return `put ${nameOfMissing(needed)} back into \`segments/\`: the gateway does not start without it`;
  const level = textAt(gateway, 'budget', 'level');
  if (level !== '' && level !== 'ok') return 'raise `ledger.max_mb` in config.toml, or make room';
  if (memory === null) return 'run `sub up`: the gateway writes heads.log from its first entry on';
  if (anchor === null)
    return 'run `sub audit anchor --git REPO`, or with another place: only what is kept outside shows a forger in this account';
  return 'run `sub audit verify` for the proof, and `sub audit backup FOLDER` now and then';
}

function linesOf(status: JsonObject, now: number): readonly (readonly [string, Cell])[] {
  const at = (...keys: readonly string[]): string => textAt(status, ...keys);
  const bytes = (name: string): string => byteCount(numberAt(status, 'bytes', name) ?? 0);
  const when = (name: string): string => ago(numberAt(status, name, 'ts') ?? now, now);
  const max = numberAt(status, 'gateway', 'budget', 'max_bytes');
  const used = byteCount(numberAt(status, 'gateway', 'budget', 'used_bytes') ?? 0);
  const problem = at('mistake');
  const expired = numberAt(status, 'previews', 'expired_up_to') ?? 0;
  const heldUpBy = at('previews', 'held_up_by');
  const count = numberAt(status, 'segments') ?? 0;
  const range = `entries ${at('segments_hold', 'first')} to ${at('segments_hold', 'last')}`;
  const missing = listAt(status, 'segments_missing').map((one) => textAt(one, 'name'));
  const unseen = missing.length === 0 ? '' : ' in the files that are there';
  return [
    ['ledger', { text: `${at('ledger_id')}, ${at('entries')} entries` }],
    ['genesis', { text: at('genesis') }],
    ['disk', { text: `${bytes('ledger')}, log ${bytes('log')}` }],
    ['closed', { text: count === 0 ? 'none' : `${counted(count, 'file')}, ${bytes('segments')}, ${range}` }],
    ...missing.map((name): readonly [string, Cell] => ['missing', { text: name, tone: 'warn' }]),
    ['open', openCell(status)],
    [
      'head',
      problem === '' ? { text: `signed over ${at('head_size')} entries` } : { text: problem, tone: 'bad' },
    ],
    [
      'seal',
      at('seal', 'n') === ''
        ? { text: unseen === '' ? 'none yet' : `none${unseen}`, tone: 'warn' }
        : { text: `number ${at('seal', 'n')} over ${at('seal', 'size')} entries, ${when('seal')}` },
    ],
    [
      'anchor',
      at('anchor', 'kind') === ''
        ? { text: `none${unseen}`, tone: 'warn' }
        : { text: `${at('anchor', 'kind')} over ${at('anchor', 'size')} entries, ${when('anchor')}` },
    ],
    ['memory', at('heads_log') === '' ? { text: 'no heads.log', tone: 'warn' } : { text: at('heads_log') }],
    [
      'previews',
      {
        text: `${at('previews', 'kept')} kept, ${expired === 0 ? 'none' : `up to entry ${expired}`} expired`,
      },
    ],
    [
      'gateway',
      at('gateway', 'durability') === ''
        ? { text: 'not running' }
        : {
            text: `durability ${at('gateway', 'durability')}, ${used} of ${max === undefined ? 'no limit' : byteCount(max)} used (${at('gateway', 'budget', 'level')})`,
          },
    ],
    ...(heldUpBy === ''
      ? []
      : [
          [
            'stopped',
            { text: `no preview expires behind ${heldUpBy}, which is not there`, tone: 'warn' },
          ] as const,
        ]),
    ['next', { text: at('next') }],
  ];
}

/** The entries that wait for their result, and those that nobody can close. */
function openCell(status: JsonObject): Cell {
  const [count, elsewhere] = [
    numberAt(status, 'open', 'count') ?? 0,
    numberAt(status, 'open', 'elsewhere') ?? 0,
  ];
  const text = count === 0 ? 'none' : `${counted(count, 'action')} without a result`;
  if (elsewhere === 0) return { text };
  return {
    text: `${text}, ${elsewhere} in files that are not there: open until those are back`,
    tone: 'warn',
  };
}
