import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { EXIT } from '../../program/exit/codes.js';
import { assertOutsideRun } from '../../gateway/outside-run.js';
import { createHome } from '../../home/create.js';
import { escapeText } from '../../output/escape.js';
import { pairs } from '../../output/table.js';
import { starters } from '../../policy/starters.js';
import { starterNamed, writeStarter } from '../../policy/write-starter.js';
import type { Call } from '../../program/call.js';
import { flag, type Values } from '../../program/flags.js';
import { subVerb, type Does } from '../../program/verb.js';

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
  const starter = starterNamed(call.session.starterPolicies, name);
  const given = call.args[1];
  if (given === undefined) createHome(call);
  const path = given === undefined ? call.home.policy : resolve(call.session.cwd, given);
  return writeStarter(starter, path, call.flags.force);
}
