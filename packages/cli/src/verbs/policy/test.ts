import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { SublError } from '@subluminal/core-types';
import { readCases, runCases } from '@subluminal/policy';
import { readInCase } from '../../objects/read-in-case.js';
import type { Command } from 'commander';
import { EXIT } from '../../program/exit/codes.js';
import { counted } from '../../output/counted.js';
import { escapeText } from '../../output/escape.js';
import { whyOf } from '../../output/system-error.js';
import { caseFilesOf, policyOf } from '../../policy/cases/files.js';
import { starterOfCases } from '../../policy/starters.js';
import { passed, reportLines, tapLines, type FileReport } from '../../policy/cases/report.js';
import { withoutSecrets } from '../../policy/problems.js';
import { readText, readTextBelow } from '../../policy/read-text.js';
import { policyPath, readPolicyBelow } from '../../policy/source.js';
import type { Call } from '../../program/call.js';
import { flag } from '../../program/flags.js';
import { subVerb, type Does } from '../../program/verb.js';

const FLAGS = {
  tap: flag('print TAP, as test runners read it'),
};

/** `sub policy test [FILE|FOLDER…]`: what a policy is expected to decide, and what it decides. */
export function defineTest(group: Command, does: Does): void {
  does(
    subVerb(
      group,
      'test',
      'put the calls of `.test.yaml` files to their policies, and compare the decisions',
    ).argument(
      '[path...]',
      'policies (or starter policies), `.test.yaml` files or folders of them (default: policy.yaml of the home)',
    ),
    FLAGS,
    async (call) => {
      const { starterPolicies } = call.session;
      const operands = call.args.length > 0 ? call.args : [call.home.policy];
      const files = new Map<string, string>();
      for (const operand of operands) {
        const path = policyPath(operand, starterPolicies);
        for (const file of caseFilesOf(path)) if (!files.has(file)) files.set(file, folderOf(path));
      }
      const reports = [...files].map(([file, folder]) => reportOf(file, folder));
      const ok = reports.every((report) => passed(report));
      if (call.output.json) call.output.value({ ok, ...totals(reports), files: reports.map(reportJson) });
      else if (call.flags.tap) call.output.lines(tapLines(reports));
      else print(call, reports);
      if (!call.output.json && !ok) for (const report of reports) noteStarter(call, report);
      return ok ? EXIT.done : EXIT.failed;
    },
  );
}

/** Nothing outside of it is read: the tests of a repository are not to be trusted with other files. */
function folderOf(operand: string): string {
  return statSync(operand).isDirectory() ? operand : dirname(operand);
}

function reportOf(file: string, folder: string): FileReport {
  const text = caseText(file, () => readTextBelow(folder, file));
  const read = readCases(text, file);
  if (!read.ok) {
    const problems = withoutSecrets(read.problems);
    return { file, policy: null, problems, faulty: { name: file, text }, cases: [] };
  }
  const policy = policyOf(file, read.file.policy);
  const { name, text: source, result } = readPolicyBelow(folder, policy);
  if (!result.ok) {
    const problems = withoutSecrets(result.problems);
    return { file, policy, problems, faulty: { name, text: source }, cases: [] };
  }
  return {
    file,
    policy,
    problems: [],
    faulty: null,
    cases: runCases(result.snapshot, read.file, readInCase),
  };
}

function caseText(file: string, read: () => string): string {
  try {
    return read();
  } catch (cause) {
    throw new SublError('failed', `\`${file}\` cannot be read: ${whyOf(cause)}`, { cause });
  }
}

function totals(reports: readonly FileReport[]): { readonly cases: number; readonly failed: number } {
  const cases = reports.flatMap((report) => report.cases);
  return { cases: cases.length, failed: cases.filter(({ ok }) => !ok).length + brokenOf(reports) };
}

/** Files that have nothing to put to a policy. */
function brokenOf(reports: readonly FileReport[]): number {
  return reports.filter((report) => report.cases.length === 0).length;
}

function reportJson({
  file,
  policy,
  problems,
  faulty,
  cases,
}: FileReport): Readonly<Record<string, unknown>> {
  return { file, policy, mistakes_in: faulty?.name ?? null, problems, cases };
}

/** The cases that came with a starter policy say nothing of one that was written in its place. */
function noteStarter({ output, session }: Call, report: FileReport): void {
  if (report.policy === null || passed(report)) return;
  const starter = starterOfCases(
    session.starterPolicies,
    caseText(report.file, () => readText(report.file)),
  );
  if (starter === undefined || readText(report.policy) === starter.policy) return;
  output.note(
    `the cases in \`${escapeText(report.file)}\` are still those of the starter policy \`${starter.name}\`: change them with the policy, or remove the file`,
  );
}

function print(call: Call, reports: readonly FileReport[]): void {
  const { output } = call;
  for (const report of reports) output.lines(reportLines(report, output));
  const { cases, failed } = totals(reports);
  const tone = failed === 0 ? 'good' : 'bad';
  const broken = brokenOf(reports);
  const unused = broken === 0 ? '' : `, ${counted(broken, 'file')} with mistakes or without cases`;
  output.line(output.paint(tone, `${counted(cases, 'case')}, ${failed - broken} failed${unused}`));
}
