import { canonicalize, listAt, objectAt, textAt, type JsonObject } from '@subluminal/core-types';
import { wordFor } from '@subluminal/records';
import type { Command } from 'commander';
import { EXIT } from '../../program/exit/codes.js';
import { askOperator } from '../../gateway/door.js';
import { isOutsideRun } from '../../gateway/outside-run.js';
import { policyText } from '../../gateway/policy-text.js';
import { escapeText } from '../../output/escape.js';
import { effectText } from '../../policy/effect-text.js';
import { table, type Cell } from '../../output/table.js';
import { wholeTimeOf } from '../../output/time.js';
import type { Call } from '../../program/call.js';
import { PAGED } from '../../program/pager/paged.js';
import { subVerb, type Does } from '../../program/verb.js';

const COLUMNS = [
  { title: 'RULE', max: 60, min: 20 },
  { title: 'KIND' },
  { title: 'SEVERITY', spare: 1 },
  { title: 'EFFECT', max: 60, min: 14 },
  { title: 'MATCH', max: 100, min: 22 },
] as const;

/** `sub policy show`: the policy that decides now, and why it is not the file where it is not. */
export function defineShow(group: Command, does: Does): void {
  does(subVerb(group, 'show', 'show the policy that decides now'), PAGED, async (call) => {
    const policy = objectAt(await askOperator(call.home, call.session.now, 'policy.show'));
    if (call.output.json) call.output.value(policy);
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
  const rules = listAt(policy, 'bundle', 'rules');
  const otherwise = textAt(policy, 'bundle', 'defaults', 'no_match');
  if (rules.length > 0) output.lines(['', ...table(COLUMNS, rules.map(rowOf), output)]);
  output.lines(['', `no rule matches: ${wordFor(otherwise)}`]);
}

function rowOf(rule: JsonObject): readonly Cell[] {
  const disabled = textAt(rule, 'enabled') === 'false';
  const kind = textAt(rule, 'kind');
  return [
    { text: textAt(rule, 'rule_id') },
    disabled
      ? { text: `${kind} (off)`, tone: 'dim' }
      : { text: kind, tone: kind === 'deny' ? 'bad' : 'plain' },
    { text: textAt(rule, 'severity') },
    { text: effectText(rule) },
    { text: canonicalize(objectAt(rule, 'match')) },
  ];
}
