import { listAt, momentAt, textAt, type JsonObject } from '@subluminal/core-types';
import type { Command } from 'commander';
import { EXIT } from '../../program/exit/codes.js';
import { askOperator } from '../../gateway/door.js';
import { table, type Cell } from '../../output/table.js';
import { ago } from '../../output/time.js';
import { subVerb, type Does } from '../../program/verb.js';

const COLUMNS = [
  { title: 'NAME', max: 30 },
  { title: 'KIND' },
  { title: 'REACHES', max: 60, min: 12 },
  { title: 'ALLOWED' },
  { title: 'LAST USED' },
] as const;

/** `sub account list`. */
export function defineList(group: Command, does: Does): void {
  does(
    subVerb(group, 'list', 'show the accounts, where they lead, and whether the allowlist lets them'),
    {},
    async (call) => {
      const accounts = listAt(await askOperator(call.home, call.session.now, 'account.list'), 'accounts');
      if (call.output.json) for (const account of accounts) call.output.value(account);
      else if (accounts.length === 0) call.output.line('there are no accounts');
      else {
        const now = call.session.now();
        const rows = accounts.map((account) => rowOf(account, now));
        call.output.lines(table(COLUMNS, rows, call.output));
      }
      return EXIT.done;
    },
  );
}

function rowOf(account: JsonObject, now: number): readonly Cell[] {
  const reaches = listAt(account, 'reaches');
  const open = reaches.filter((reach) => textAt(reach, 'allowed') === 'true').length;
  const used = momentAt(account, 'used_at');
  return [
    { text: textAt(account, 'name') },
    { text: textAt(account, 'kind') },
    { text: reaches.map((reach) => textAt(reach, 'origin')).join(', ') },
    open === reaches.length
      ? { text: 'yes', tone: 'good' }
      : { text: open === 0 ? 'no' : 'in part', tone: 'warn' },
    { text: used === undefined ? 'never' : ago(used, now), tone: 'dim' },
  ];
}
