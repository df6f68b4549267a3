import { closeSync, constants, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { policySchemaText, SublError } from '@subluminal/core-types';
import type { Command } from 'commander';
import { EXIT } from '../../program/exit/codes.js';
import { assertOutsideRun } from '../../gateway/outside-run.js';
import { createHome } from '../../home/create.js';
import { escapeText } from '../../output/escape.js';
import { pairs } from '../../output/table.js';
import { whyOf } from '../../output/system-error.js';
import { casesFor, starters } from '../../policy/starters.js';
import type { Call } from '../../program/call.js';
import { flag, type Values } from '../../program/flags.js';
import { subVerb, type Does } from '../../program/verb.js';

const SCHEMA = 'policy.schema.json';

const FLAGS = {
  force: flag('replace files that exist'),
};

type Given = Call<Values<typeof FLAGS>>;

/** `sub policy init NAME [PATH]`: writes one of the policies that are shipped, with its tests. */
export function defineInit(group: Command, does: Does): void {
  does(
    subVerb(group, 'init', 'write one of the starter policies, with its tests; lists them without a name')
      .argument('[name]', 'which one')
      .argument('[path]', 'where it goes (default: policy.yaml of the home)'),
    FLAGS,
    async (call) => {
      const [name] = call.args;
      if (name === undefined) {
        list(call);
        return EXIT.done;
      }
      await assertOutsideRun(call);
      const written = write(call, name);
      if (call.output.json) call.output.value({ name, written });
      else {
        for (const path of written) call.output.line(`written: ${escapeText(path)}`);
        for (const note of notesOf(call, name)) call.output.note(note);
        call.output.note(nextStep(call));
      }
      return EXIT.done;
    },
  );
}

function list(call: Call): void {
  const { output } = call;
  const all = starters(call.session.starterPolicies);
  if (output.json) {
    for (const { name, about } of all) output.value({ name, about });
    return;
  }
  const lines = all.map(({ name, about }) => [name, { text: about }] as const);
  output.lines(pairs(lines, output.paint, output.width));
  output.note('`sub policy init NAME` writes one, with its tests');
}

/**
 * For whom a starter decides: to everybody else it lets nothing through, which is better known beforehand.
 */
function notesOf({ session }: Call, name: string): readonly string[] {
  const text = readFileSync(join(session.starterPolicies, `${name}.yaml`), 'utf8');
  const env = /^selectors:\n  env: \[(\w+)\]/m.exec(text)?.[1];
  return env === undefined
    ? []
    : [
        `it is for runs of \`env: ${env}\` alone: outside of that every call is refused (\`sub run --env ${env}\` tries it)`,
      ];
}

function nextStep({ args: [, path] }: Call): string {
  return path === undefined
    ? '`sub policy test` shows what it decides, `sub policy show` what decides now'
    : `\`sub policy test ${escapeText(path)}\` shows what it decides`;
}

function write(call: Given, name: string): readonly string[] {
  const all = starters(call.session.starterPolicies);
  const starter = all.find((one) => one.name === name);
  if (starter === undefined) {
    throw new SublError('usage', `there is no starter policy \`${name}\``, {
      help: `the starter policies are ${all.map((one) => `\`${one.name}\``).join(', ')}`,
    });
  }
  const given = call.args[1];
  if (given === undefined) createHome(call);
  const path = given === undefined ? call.home.policy : resolve(call.session.cwd, given);
  const stem = basename(path).replace(/\.ya?ml$/, '');
  // The policy last: once it is there, a gateway loads it.
  const files = [
    { path: join(dirname(path), SCHEMA), text: policySchemaText(), mine: false },
    {
      path: join(dirname(path), `${stem}.test.yaml`),
      text: casesFor(starter, basename(path)),
      mine: true,
    },
    { path, text: starter.policy, mine: true },
  ];
  const inTheWay = files.find((file) => file.mine && existsSync(file.path));
  if (inTheWay !== undefined && !call.flags.force) {
    throw new SublError('usage', `\`${inTheWay.path}\` exists`, {
      help: 'name another path, or replace it with `--force`',
    });
  }
  for (const file of files) put(file.path, file.text, !file.mine || call.flags.force);
  return files.map((file) => file.path);
}

/** Never through a link: whoever laid it would choose which file is written. */
function put(path: string, text: string, mayReplace: boolean): void {
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_TRUNC, O_WRONLY } = constants;
  const how = mayReplace ? O_TRUNC | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0) : O_EXCL;
  try {
    const file = openSync(path, O_WRONLY | O_CREAT | how, 0o600);
    try {
      writeFileSync(file, text);
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    const isLink = Reflect.get(Object(cause), 'code') === 'ELOOP';
    const why = isLink ? 'it is a link' : whyOf(cause);
    throw new SublError('failed', `\`${path}\` cannot be written: ${why}`, {
      cause,
      help: 'name a file in a folder that you can write',
    });
  }
}
