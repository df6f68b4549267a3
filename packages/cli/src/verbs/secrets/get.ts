import { isHeaderBinding, numberAt, SublError, textAt } from '@subluminal/core-types';
import type { Command } from 'commander';
import { EXIT } from '../../program/exit/codes.js';
import { askOperator } from '../../gateway/door.js';
import { assertOutsideRun } from '../../gateway/outside-run.js';
import { escapeText } from '../../output/escape.js';
import { pairs } from '../../output/table.js';
import { wholeTimeOf } from '../../output/time.js';
import type { Call } from '../../program/call.js';
import { flag } from '../../program/flags.js';
import { subVerb, type Does } from '../../program/verb.js';
import { type KnownSecret, knownSecrets, secretData } from '../../secrets/known.js';

const FLAGS = {
  reveal: flag('print the value of a secret of the store, on a terminal only; it is recorded'),
};

/** `sub secrets get NAME`. */
export function defineGet(group: Command, does: Does): void {
  does(
    subVerb(group, 'get', 'show what is known of a secret: where it goes, and when it was used').argument(
      '<name>',
      'the name that `sub secrets list` shows',
    ),
    FLAGS,
    async (call) => {
      const name = call.operand(0, 'name');
      if (call.flags.reveal) return reveal(call, name);
      const found = (await knownSecrets(call)).filter((secret) => secret.name === name);
      if (found.length === 0)
        throw new SublError('not_found', `there is no secret of that name`, {
          help: '`sub secrets list` shows the names',
        });
      for (const secret of found) {
        if (call.output.json) call.output.value(secretData(secret));
        else call.output.lines(linesOf(call, secret));
      }
      return EXIT.done;
    },
  );
}

async function reveal(call: Call, name: string): Promise<number> {
  await assertOutsideRun(call);
  if (call.output.json || !process.stdout.isTTY || !process.stdin.isTTY) {
    throw new SublError('usage', '`--reveal` prints to a terminal, and to nothing else', {
      help: 'a program gets a secret by a binding',
    });
  }
  const data = await askOperator(
    call.home,
    call.session.now,
    'secrets.reveal',
    { name },
    { not_found: 'only secrets of the store can be shown; `sub secrets list` has their names' },
  );
  call.output.line(escapeText(textAt(data, 'value')));
  return EXIT.done;
}

function linesOf(call: Call, { name, source, stored, bindings }: KnownSecret): string[] {
  const uses = numberAt(stored ?? null, 'uses') ?? 0;
  const often = uses === 1 ? 'once' : `${uses} times`;
  const used = uses === 0 ? 'never' : `${wholeTimeOf(textAt(stored ?? null, 'used_at'))}, ${often} in all`;
  const facts: [string, { text: string }][] = [
    ['name', { text: name }],
    ['source', { text: source === 'store' && stored === undefined ? 'store, but not there' : source }],
    ...(stored === undefined
      ? []
      : ([
          ['added', { text: wholeTimeOf(textAt(stored, 'created_at')) }],
          ['changed', { text: wholeTimeOf(textAt(stored, 'changed_at')) }],
          ['used', { text: used }],
        ] satisfies [string, { text: string }][])),
  ];
  const goes = bindings.map((binding) => {
    const { server_name: server, inject_as: variable, redact } = binding;
    const shown = redact ? '' : ', and may be shown to its client';
    if (isHeaderBinding(binding))
      return `  ${escapeText(server)} gets it in the header ${variable}${shown}, at ${escapeText(binding.url)}`;
    const { command, hosts } = binding;
    const by = escapeText(command.join(' '));
    if (hosts !== undefined)
      return `  ${escapeText(server)} gets a placeholder as ${variable}, put in on the way to ${hosts.join(', ')}, started by \`${by}\``;
    return `  ${escapeText(server)} gets it as ${variable}${shown}, started by \`${by}\``;
  });
  return [
    ...pairs(facts, call.output.paint, call.output.width),
    ...(goes.length === 0 ? ['  no server gets it'] : goes),
  ];
}
