import type { Command } from 'commander';
import { momentAt, numberAt } from '@subluminal/core-types';
import { EXIT } from '../../program/exit/codes.js';
import { table, type Cell } from '../../output/table.js';
import { ago } from '../../output/time.js';
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
    const secrets = await knownSecrets(call);
    if (call.output.json) for (const secret of secrets) call.output.value(secretData(secret));
    else if (secrets.length === 0) call.output.line('there are no secrets');
    else {
      const now = call.session.now();
      call.output.lines(
        table(
          COLUMNS,
          secrets.map((secret) => rowOf(secret, now)),
          call.output,
        ),
      );
    }
    return EXIT.done;
  });
}

function rowOf(secret: KnownSecret, now: number): readonly Cell[] {
  const { name, source, stored, bindings } = secret;
  const targets = bindings.map((binding) => `${binding.server_name} (${binding.inject_as})`).join(', ');
  const isMissing = source === 'store' && stored === undefined;
  return [
    { text: name },
    isMissing ? { text: 'not there', tone: 'bad' } : { text: source },
    { text: targets === '' ? 'nobody' : targets, tone: targets === '' ? 'dim' : 'plain' },
    { text: when(secret, 'changed_at', now), tone: 'dim' },
    { text: numberAt(stored ?? null, 'uses') === 0 ? 'never' : when(secret, 'used_at', now), tone: 'dim' },
  ];
}

function when({ stored }: KnownSecret, key: string, now: number): string {
  const moment = momentAt(stored ?? null, key);
  return moment === undefined ? '' : ago(moment, now);
}
