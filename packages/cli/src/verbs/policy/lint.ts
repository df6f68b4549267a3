import { compilePolicy, type CompileResult, type PolicyProblem } from '@subluminal/policy';
import type { Command } from 'commander';
import { EXIT } from '../../program/exit/codes.js';
import { counted } from '../../output/counted.js';
import { escapeText } from '../../output/escape.js';
import { aroundPolicy } from '../../policy/world/around.js';
import { problemLines, withoutSecrets } from '../../policy/problems.js';
import { policyPath, readPolicy, type PolicyFile } from '../../policy/source.js';
import type { Call } from '../../program/call.js';
import { subVerb, type Does } from '../../program/verb.js';

/** `sub policy lint [FILE…]`: would the gateway load it, and is anything in it worth a second look? */
export function defineLint(group: Command, does: Does): void {
  does(
    subVerb(group, 'lint', 'check policy files without loading them').argument(
      '[file...]',
      'files, or starter policies (default: policy.yaml of the home; `-` for standard input)',
    ),
    {},
    async (call) => {
      const read = (call.args.length > 0 ? call.args : [call.home.policy]).map((file) =>
        readPolicy(policyPath(file, call.session.starterPolicies)),
      );
      const files = read.some(hasWorld) ? await lookedAtHere(call, read) : read;
      for (const file of files) {
        if (call.output.json) call.output.value(resultJson(file));
        else print(call, file);
      }
      return files.every(({ result }) => result.ok) ? EXIT.done : EXIT.failed;
    },
  );
}

function hasWorld({ result }: PolicyFile): boolean {
  return result.ok && result.snapshot.world !== undefined;
}

/** The same, with what only this machine and its allowlist tell of worlds. */
async function lookedAtHere(call: Call, files: readonly PolicyFile[]): Promise<readonly PolicyFile[]> {
  const around = await aroundPolicy(call);
  return files.map((file) => {
    const { name, text } = file;
    if (!hasWorld(file)) return file;
    return {
      name,
      text,
      result: compilePolicy(text, name === '<stdin>' ? { around } : { around, filename: name }),
    };
  });
}

/** Every mistake of a policy that would not load, as `sub policy lint` prints them. */
export function printMistakes(call: Call, { name, text, result }: PolicyFile): void {
  if (result.ok) return;
  const { output } = call;
  for (const line of problemLines(name, text, result.problems, {
    paint: output.paintError,
    width: output.width,
  }))
    output.note(line);
  output.note(`${output.paintError('bad', 'invalid')}: ${counted(result.problems.length, 'error')}`);
}

function problemsOf(result: CompileResult): readonly PolicyProblem[] {
  return result.ok ? result.warnings : result.problems;
}

/** The findings of a file, for programs. */
export function resultJson({ name, result }: PolicyFile): Readonly<Record<string, unknown>> {
  return {
    file: name === '<stdin>' ? '-' : name,
    ok: result.ok,
    ...(result.ok
      ? {
          policy_id: result.snapshot.policy_id,
          policy_version: result.snapshot.version,
          policy_hash: result.snapshot.policy_hash,
          mode: result.snapshot.mode,
        }
      : {}),
    problems: withoutSecrets(problemsOf(result)),
  };
}

function print(call: Call, { name, text, result }: PolicyFile): void {
  const { output } = call;
  const problems = problemsOf(result);
  output.lines(problemLines(name, text, problems, output));
  const errors = problems.filter((problem) => problem.severity === 'error').length;
  const warnings = problems.length - errors;
  const which = call.args.length > 1 ? ` ${escapeText(name)}` : '';
  if (result.ok) {
    const { policy_id: id, version, mode } = result.snapshot;
    const policy = `\`${escapeText(id)}\` ${escapeText(version)}`;
    const says = `${policy}, mode ${mode}, ${counted(warnings, 'warning')}`;
    output.line(`${output.paint('good', 'ok')}:${which} ${says}`);
  } else {
    const count = `${counted(errors, 'error')}, ${counted(warnings, 'warning')}`;
    output.line(`${output.paint('bad', 'invalid')}:${which} ${count}; it would not load`);
  }
}
