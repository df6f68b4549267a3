import { SublError } from '@subluminal/core-types';
import type { Command } from 'commander';
import { editConfig } from '../../config/file.js';
import { whenInForce, type TakesEffect } from '../../config/in-force.js';
import { keyOf, settingPath } from '../../config/key.js';
import { assertOutsideRun } from '../../gateway/outside-run.js';
import { createHome } from '../../home/create.js';
import { escapeText } from '../../output/escape.js';
import type { Call } from '../../program/call.js';
import { EXIT } from '../../program/exit/codes.js';
import { flag, type Values } from '../../program/flags.js';
import { subVerb, type Does } from '../../program/verb.js';

const FLAGS = {
  default: flag('take the setting out of the file, so that it is what it is without one'),
};

type Given = Call<Values<typeof FLAGS>>;

const WHEN: Readonly<Record<TakesEffect, string>> = {
  now: 'in force now',
  'with a restart': 'in force with `sub up --restart`: runs go on',
  'with a start': 'in force when the gateway starts',
};

/** `sub config set KEY VALUE`. */
export function defineSet(group: Command, does: Does): void {
  does(
    subVerb(group, 'set', 'write one setting into config.toml, whose comments stay')
      .argument('<key>', 'as `egress.mode`')
      .argument('[value]', 'a word, a number, or a list as `["a", "b"]`'),
    FLAGS,
    set,
  );
}

async function set(call: Given): Promise<number> {
  await assertOutsideRun(call);
  const path = settingPath(call.operand(0, 'key'));
  const [, value] = call.args;
  if ((value === undefined) !== call.flags.default)
    throw new SublError(
      'usage',
      value === undefined ? 'the value is missing' : 'a value and `--default` exclude each other',
      {
        help: '`sub config set KEY VALUE`, or `sub config set KEY --default`',
      },
    );
  createHome(call);
  const { isChanged, others, sha256 } = editConfig(call.home, path, value);
  const key = keyOf(path);
  const when = await whenInForce(call, path.join('.'), sha256);
  if (call.output.json) call.output.value({ key, changed: isChanged, others: [...others], in_force: when });
  else {
    const what = value === undefined ? 'has its default' : `is ${escapeText(value)}`;
    call.output.line(`\`${key}\` ${isChanged ? '' : 'already '}${what}; ${WHEN[when]}`);
    if (others.length > 0)
      call.output.note(
        `with it, others are not what they were: ${others.map((one) => `\`${one}\``).join(', ')}`,
      );
  }
  return EXIT.done;
}
