import type { JsonObject } from '@subluminal/core-types';
import type { Command } from 'commander';
import { EXIT } from '../exit/codes.js';
import { askOperator } from '../gateway/door.js';
import { policyText } from '../gateway/policy-text.js';
import { momentAt, objectAt, textAt } from '../output/fields.js';
import { pairs, type Cell } from '../output/table.js';
import { ago } from '../output/time.js';
import type { Does } from '../program/verb.js';

/** `sub status`: the gateway, its runs, its policy and the head of its ledger. */
export function define(command: Command, does: Does): void {
  command.action(
    does(async (call) => {
      const { output, session, home } = call;
      const answer = objectAt(await askOperator(home, session.now, 'gateway.status'));
      const status: JsonObject = { ...answer, socket: home.socket, home: home.home };
      if (output.json) output.value(status);
      else output.lines(pairs(linesOf(status, session.now()), output.paint));
      return EXIT.done;
    }),
  );
}

function linesOf(status: JsonObject, now: number): readonly (readonly [string, Cell])[] {
  const at = (...keys: readonly string[]): string => textAt(status, ...keys);
  const started = momentAt(status, 'started_at');
  const problem = at('policy', 'error', 'message');
  return [
    [
      'gateway',
      {
        text: `pid ${at('pid')}, version ${at('version')}${started === undefined ? '' : `, started ${ago(started, now)}`}`,
        tone: 'good',
      },
    ],
    ['home', { text: at('home') }],
    ['socket', { text: at('socket') }],
    [
      'runs',
      {
        text: `${at('runs', 'live')} live, ${at('runs', 'attested')} of them attested, ${at('runs', 'open_calls')} calls open`,
      },
    ],
    ['policy', { text: policyText(objectAt(status, 'policy'), now) }],
    ...(problem === ''
      ? []
      : [['', { text: `policy.yaml does not load: ${problem}`, tone: 'bad' }] as const]),
    [
      'ledger',
      { text: `${at('ledger', 'seq')} entries, head ${at('ledger', 'leaf')}, ${at('ledger', 'durability')}` },
    ],
    ['genesis', { text: at('ledger', 'genesis_fingerprint') }],
    ['memory', { text: `${at('ledger', 'heads_log')} (${at('ledger', 'memory')})` }],
  ];
}
