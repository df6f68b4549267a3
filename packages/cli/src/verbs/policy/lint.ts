import { readFileSync } from 'node:fs';
import { SublError } from '@subluminal/core-types';
import { compilePolicy, type CompileResult, type PolicyProblem } from '@subluminal/policy';
import type { Command } from 'commander';
import { EXIT } from '../../exit/codes.js';
import { counted } from '../../output/counted.js';
import { escapeText } from '../../output/escape.js';
import type { Call } from '../../program/call.js';
import { subVerb, type Does } from '../../program/verb.js';

/** `sub policy lint [FILE]`: would the gateway load it, and is anything in it worth a second look? */
export function defineLint(group: Command, does: Does): void {
  subVerb(group, 'lint', 'check a policy file without loading it')
    .argument('[file]', 'the file (default: policy.yaml of the home; `-` for standard input)')
    .action(
      does(async (call) => {
        const file = call.args[0] ?? call.home.policy;
        const text = readPolicy(file);
        const result = compilePolicy(text, file === '-' ? {} : { filename: file });
        if (call.output.json) call.output.value(resultJson(file, result));
        else print(call, file === '-' ? '<stdin>' : file, result);
        return result.ok ? EXIT.done : EXIT.failed;
      }),
    );
}

function readPolicy(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (cause) {
    throw new SublError('policy_missing', `\`${file}\` cannot be read`, {
      cause,
      help: 'give the path of a policy file, or write one at the path above',
    });
  }
}

function problemsOf(result: CompileResult): readonly PolicyProblem[] {
  return result.ok ? result.warnings : result.problems;
}

function resultJson(file: string, result: CompileResult): Readonly<Record<string, unknown>> {
  return {
    file,
    ok: result.ok,
    ...(result.ok
      ? {
          policy_id: result.snapshot.policy_id,
          policy_version: result.snapshot.version,
          policy_hash: result.snapshot.policy_hash,
          mode: result.snapshot.mode,
        }
      : {}),
    problems: problemsOf(result).map((problem) => ({ ...problem })),
  };
}

function print(call: Call, file: string, result: CompileResult): void {
  const { output } = call;
  const problems = problemsOf(result);
  for (const { severity, code, message, line, column, help } of problems) {
    const tone = severity === 'error' ? 'bad' : 'warn';
    output.line(
      `${escapeText(file)}:${line}:${column}: ${output.paint(tone, `${severity}[${code}]`)}: ${escapeText(message)}`,
    );
    if (help !== undefined) output.line(`  ${output.paint('bold', 'help')}: ${escapeText(help)}`);
  }
  const errors = problems.filter((problem) => problem.severity === 'error').length;
  const warnings = problems.length - errors;
  if (result.ok) {
    const { policy_id: id, version, mode } = result.snapshot;
    const name = `\`${escapeText(id)}\` ${escapeText(version)}`;
    output.line(`${output.paint('good', 'ok')}: ${name}, mode ${mode}, ${counted(warnings, 'warning')}`);
  } else {
    output.line(
      `${output.paint('bad', 'invalid')}: ${counted(errors, 'error')}, ${counted(warnings, 'warning')}; it would not load`,
    );
  }
}
