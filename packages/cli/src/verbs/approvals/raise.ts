import { SublError, type JsonObject } from '@subluminal/core-types';
import { compilePolicy, raiseLimits, type RaisedLimit } from '@subluminal/policy';
import { readFileText } from '../../files/replace-text.js';
import { Answers } from '../../output/ask.js';
import { escapeText } from '../../output/escape.js';
import { propose } from '../../policy/edit/propose.js';
import type { Promoting } from '../hints/offers.js';

/** Whether the question is one of a budget of that file. */
export function isBudget(call: Promoting, ruleId: string): boolean {
  const compiled = compilePolicy(readFileText(fileOf(call)).text);
  if (!compiled.ok) return false;
  return compiled.snapshot.plain.rules.some(({ kind, rule_id }) => kind === 'budget' && rule_id === ruleId);
}

/** Writes the limits of the budget once more into the policy file, shown as a diff before. */
export async function raise(
  call: Promoting,
  ruleId: string,
  onWritten: () => Promise<JsonObject>,
): Promise<number> {
  const { flags } = call;
  if (flags.as !== undefined || flags.anyArgs)
    throw new SublError('usage', '`--as` and `--any-args` are not for a budget, which counts every call');
  const named = fileOf(call);
  const file = readFileText(named);
  const result = raiseLimits(file.text, ruleId, { filename: named });
  if (!result.ok)
    throw new SublError('failed', result.message, result.help === undefined ? {} : { help: result.help });
  const edit = {
    named,
    before: file,
    text: result.text,
    notes: [`budget \`${escapeText(ruleId)}\`: ${limitsText(result.limits)}`],
    json: { limits: result.limits.map(({ field, from, to }) => ({ field, from, to })) },
    withheld: undefined,
  };
  return propose(call, edit, new Answers(process.stdin), onWritten);
}

function fileOf(call: Promoting): string {
  return call.flags.file ?? call.home.policy;
}

function limitsText(limits: readonly RaisedLimit[]): string {
  return limits.map(({ field, from, to }) => `\`${field}\` ${from} → ${to}`).join(', ');
}
