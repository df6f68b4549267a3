import { SublError, type JsonObject } from '@subluminal/core-types';
import { compilePolicy, raiseLimits, unifiedDiff, type RaisedLimit } from '@subluminal/policy';
import { readFileText, replaceFileText } from '../../files/replace-text.js';
import { agrees, Answers } from '../../output/ask.js';
import { escapeText } from '../../output/escape.js';
import { wrapped } from '../../output/table.js';
import { EXIT } from '../../program/exit/codes.js';
import { paintDiff } from '../hints/diff-line.js';
import type { Promoting } from '../hints/offers.js';
import { written } from '../hints/persist.js';

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
  const { output, flags } = call;
  if (flags.as !== undefined || flags.anyArgs)
    throw new SublError('usage', '`--as` and `--any-args` are not for a budget, which counts every call');
  const named = fileOf(call);
  const file = readFileText(named);
  const result = raiseLimits(file.text, ruleId, { filename: named });
  if (!result.ok)
    throw new SublError('failed', result.message, result.help === undefined ? {} : { help: result.help });
  const diff = unifiedDiff(file.text, result.text, named);
  if (!output.json) {
    output.lines(diff.map((line) => paintDiff(line, output.paint)));
    output.lines([
      '',
      ...wrapped(`budget \`${escapeText(ruleId)}\`: ${limitsText(result.limits)}`, output.width),
    ]);
  }
  const answers = new Answers(process.stdin);
  const isWritten = await agrees(call, `write this to \`${escapeText(named)}\`?`, answers);
  if (isWritten) replaceFileText(file, result.text, process.pid);
  const also = isWritten ? await onWritten() : {};
  if (output.json) {
    const limits = result.limits.map(({ field, from, to }) => ({ field, from, to }));
    output.value({ written: isWritten, file: file.path, limits, diff: diff.join('\n'), ...also });
  } else {
    const told = isWritten ? written(call, named, file.path) : ['nothing was written'];
    output.lines(told.flatMap((text) => wrapped(text, output.width)));
  }
  return isWritten ? EXIT.done : EXIT.failed;
}

function fileOf(call: Promoting): string {
  return call.flags.file ?? call.home.policy;
}

function limitsText(limits: readonly RaisedLimit[]): string {
  return limits.map(({ field, from, to }) => `\`${field}\` ${from} → ${to}`).join(', ');
}
