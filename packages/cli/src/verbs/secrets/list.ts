import type { Command } from 'commander';
import { numberAt } from '@subluminal/core-types';
import { EXIT } from '../../program/exit/codes.js';
import { showList } from '../../output/listing.js';
import type { Cell } from '../../output/table.js';
import { agoAt } from '../../output/time.js';
import { subVerb, type Does } from '../../program/verb.js';
import { type KnownSecret, knownSecrets, secretData } from '../../secrets/known.js';

const COLUMNS = [
  { title: 'NAME', max: 40 },
  { title: 'SOURCE' },
  { title: 'GOES TO', max: 60, min: 12 },
  { title: 'CHANGED' },
  { title: 'LAST USED' },
] as const;

/** `sub secrets list`. */
export function defineList(group: Command, does: Does): void {
  does(subVerb(group, 'list', 'show the names of secrets, and which servers get them'), {}, async (call) => {
    showList(call.output, await knownSecrets(call), {
      json: secretData,
      none: 'there are no secrets',
      columns: COLUMNS,
      row: (secret) => rowOf(secret, call.session.now()),
    });
    return EXIT.done;
  });
}

function rowOf({ name, source, stored, bindings }: KnownSecret, now: number): readonly Cell[] {
  const when = (key: string): string => agoAt(stored ?? null, key, now);
  const targets = bindings.map((binding) => `${binding.server_name} (${binding.inject_as})`).join(', ');
  const isMissing = source === 'store' && stored === undefined;
  return [
    { text: name },
    isMissing ? { text: 'not there', tone: 'bad' } : { text: source },
    { text: targets === '' ? 'nobody' : targets, tone: targets === '' ? 'dim' : 'plain' },
    { text: when('changed_at'), tone: 'dim' },
    { text: numberAt(stored ?? null, 'uses') === 0 ? 'never' : when('used_at'), tone: 'dim' },
  ];
}
