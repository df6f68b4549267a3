import { listAt, objectAt, textAt, type JsonObject } from '@subluminal/core-types';
import type { Command } from 'commander';
import { EXIT } from '../../program/exit/codes.js';
import { askOperator } from '../../gateway/door.js';
import { isOutsideRun } from '../../gateway/outside-run.js';
import { policyText } from '../../gateway/policy-text.js';
import { escapeText } from '../../output/escape.js';
import { ruleLines } from '../../policy/rule-lines.js';
import { flag } from '../../program/flags.js';
import { showList } from '../../output/listing.js';
import type { Cell } from '../../output/table.js';
import { agoAt, wholeTimeOf } from '../../output/time.js';
import type { Call } from '../../program/call.js';
import { PAGED } from '../../program/pager/paged.js';
import { subVerb, type Does } from '../../program/verb.js';

const FLAGS = {
  projects: flag('the policies of projects that are trusted, instead'),
  ...PAGED,
};

const COLUMNS = [
  { title: 'FILE', max: 80, min: 20, cut: 'middle' },
  { title: 'POLICY', max: 40, min: 8 },
  { title: 'MODE' },
  { title: 'TRUSTED' },
  { title: 'FILE NOW' },
] as const;

/** How the file stands to the text that is in force. */
const NOW: ReadonlyMap<string, Cell> = new Map([
  ['trusted', { text: 'as trusted', tone: 'good' }],
  ['changed', { text: 'changed', tone: 'warn' }],
  ['removed', { text: 'gone', tone: 'warn' }],
]);

/** `sub policy show`: the policy that decides now, and why it is not the file where it is not. */
export function defineShow(group: Command, does: Does): void {
  does(subVerb(group, 'show', 'show the policy that decides now'), FLAGS, async (call) => {
    const policy = objectAt(await askOperator(call.home, call.session.now, 'policy.show'));
    if (call.flags.projects) showProjects(call, policy);
    else if (call.output.json) call.output.value(policy);
    else print(call, policy, await isOutsideRun(call));
    return EXIT.done;
  });
}

/**
 * A policy for people: one line, its hash, what keeps the file from deciding, and the rules in their order.
 */
function print(call: Call, policy: JsonObject, isOutside: boolean): void {
  const { output, session } = call;
  output.line(escapeText(policyText(policy, session.now())));
  output.line(`hash ${escapeText(textAt(policy, 'policy_hash'))}`);
  const signer = textAt(policy, 'signature', 'signer');
  if (signer !== '') {
    const signed = `signed by ${escapeText(signer)} at ${escapeText(wholeTimeOf(textAt(policy, 'signature', 'signed_at')))}`;
    output.line(`${signed}, serial ${textAt(policy, 'signature', 'serial')}`);
  }
  const refusal = textAt(policy, 'error', 'message');
  if (refusal !== '')
    output.line(`${output.paint('bad', 'policy.yaml is not in force')}: ${escapeText(refusal)}`);
  const help = textAt(policy, 'error', 'help');
  // The help may name a verb that is refused inside a run.
  if (help !== '' && isOutside) output.line(`help: ${escapeText(help)}`);
  for (const problem of listAt(policy, 'error', 'problems')) {
    const place = `policy.yaml:${textAt(problem, 'line')}:${textAt(problem, 'column')}`;
    output.line(`${output.paint('bad', place)}: ${escapeText(textAt(problem, 'message'))}`);
  }
  output.lines(ruleLines(objectAt(policy, 'bundle'), output, 'home'));
}

function showProjects({ output, session }: Call, policy: JsonObject): void {
  showList(output, listAt(policy, 'projects'), {
    json: (one) => one,
    none: 'no policy of a project is trusted: `sub policy trust FOLDER`',
    columns: COLUMNS,
    row: (one) => [
      { text: textAt(one, 'file') },
      { text: `${textAt(one, 'policy', 'policy_id')} ${textAt(one, 'policy', 'policy_version')}` },
      { text: textAt(one, 'policy', 'mode') },
      { text: agoAt(one, 'trusted_at', session.now()) },
      NOW.get(textAt(one, 'state')) ?? { text: 'unreadable', tone: 'warn' },
    ],
  });
}
