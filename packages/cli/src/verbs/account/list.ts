import { listAt, textAt, type JsonObject } from '@subluminal/core-types';
import type { Command } from 'commander';
import { EXIT } from '../../program/exit/codes.js';
import { askOperator } from '../../gateway/door.js';
import { showList } from '../../output/listing.js';
import type { Cell } from '../../output/table.js';
import { agoAt } from '../../output/time.js';
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
      showList(call.output, accounts, {
        json: (account) => account,
        none: 'there are no accounts: `sub account add KIND NAME` adds one',
        columns: COLUMNS,
        row: (account) => rowOf(account, call.session.now()),
      });
      return EXIT.done;
    },
  );
}

function rowOf(account: JsonObject, now: number): readonly Cell[] {
  const reaches = listAt(account, 'reaches');
  const open = reaches.filter((reach) => textAt(reach, 'allowed') === 'true').length;
  return [
    { text: textAt(account, 'name') },
    { text: textAt(account, 'kind') },
    { text: reaches.map((reach) => textAt(reach, 'origin')).join(', ') },
    open === reaches.length
      ? { text: 'yes', tone: 'good' }
      : { text: open === 0 ? 'no' : 'in part', tone: 'warn' },
    { text: agoAt(account, 'used_at', now, 'never'), tone: 'dim' },
  ];
}
