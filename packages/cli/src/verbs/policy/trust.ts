import {
  canonicalize,
  numberAt,
  objectAt,
  parseJson,
  textAt,
  type JsonObject,
  PROJECT_FILE,
} from '@subluminal/core-types';
import { compilePolicy, unifiedDiff, type PolicySnapshot } from '@subluminal/policy';
import type { Command } from 'commander';
import { dirname } from 'node:path';
import { EXIT } from '../../program/exit/codes.js';
import { askOperator } from '../../gateway/door.js';
import { assertOutsideRun } from '../../gateway/outside-run.js';
import { agrees, assertAskable, YES } from '../../output/ask.js';
import { counted } from '../../output/counted.js';
import { escapeText } from '../../output/escape.js';
import { problemLines } from '../../policy/problems.js';
import { projectFile, readProjectFile } from '../../policy/project/project-file.js';
import { trustedText } from '../../policy/project/trusted-text.js';
import { ruleLines } from '../../policy/rule-lines.js';
import type { Call } from '../../program/call.js';
import type { Values } from '../../program/flags.js';
import { subVerb, type Does } from '../../program/verb.js';
import { printMistakes } from './lint.js';

const FLAGS = { yes: YES };

/** A whole file, to begin with. */
export const SMALLEST = `
A small ${PROJECT_FILE}:
  policy_id: shop
  version: '1'
  mode: control
  defaults: { decision_on_error: BLOCK }
  selectors: {}
  rules:
    - rule_id: no-deploys
      kind: deny # or ask, which refuses, too; a project asks nobody
      enabled: true
      severity: warn
      match: { tool_name: { glob: ['deploy_*', '*_publish'] } }
      effect: { action: BLOCK, reason_code: NO_DEPLOYS, message: people deploy }`;

type Given = Call<Values<typeof FLAGS>>;

/** `sub policy trust [FOLDER]`: lets the policy of a project narrow the runs that work there. */
export function defineTrust(group: Command, does: Does): void {
  does(
    subVerb(group, 'trust', `let the \`${PROJECT_FILE}\` of a project narrow the runs that work there`)
      .argument('[folder]', `a folder, or its \`${PROJECT_FILE}\` (default: the nearest above this folder)`)
      .addHelpText('after', SMALLEST),
    FLAGS,
    async (call) => {
      await assertOutsideRun(call);
      assertAskable(call);
      const file = projectFile(call.args[0], call.session.cwd);
      const text = readProjectFile(file);
      const result = compilePolicy(text, { format: 'yaml', filename: file });
      if (!result.ok) {
        printMistakes(call, { name: file, text, result });
        return EXIT.failed;
      }
      const known = await trustedText(call, file);
      if (!call.output.json) {
        printText(call, file, known, text);
        printEffect(call, file, result.snapshot);
        call.output.lines(problemLines(file, text, result.warnings, call.output));
      }
      if (known === text) call.output.note('it is trusted already, as it is');
      else if (!(await agrees(call, `let this text narrow every run in \`${escapeText(dirname(file))}\`?`))) {
        call.output.line('nothing was changed');
        return EXIT.refused;
      } else
        told(call, objectAt(await askOperator(call.home, call.session.now, 'policy.trust', { file, text })));
      return EXIT.done;
    },
  );
}

/** The whole of it, or what is different from the text that was trusted. */
function printText({ output }: Given, file: string, known: string | undefined, text: string): void {
  if (known === undefined) {
    const lines = text.replace(/\r?\n$/, '').split(/\r?\n/);
    const width = String(lines.length).length;
    output.line(output.paint('bold', escapeText(file)));
    output.lines(lines.map((line, at) => `${String(at + 1).padStart(width)} | ${shownLine(line)}`));
    return;
  }
  output.lines(
    unifiedDiff(known, text, file).map((line) => {
      const tone = line.startsWith('+') ? 'good' : line.startsWith('-') ? 'bad' : 'plain';
      return output.paint(tone, shownLine(line));
    }),
  );
}

function printEffect({ output }: Given, file: string, snapshot: PolicySnapshot): void {
  const { policy_id: id, version, mode, plain } = snapshot;
  const rules = counted(plain.rules.filter(({ enabled }) => enabled).length, 'rule');
  output.lines([
    '',
    `\`${escapeText(id)}\` ${escapeText(version)}, mode ${mode}, ${rules} in ${escapeText(dirname(file))}`,
  ]);
  output.lines(ruleLines(parseJson(canonicalize(plain)), output, 'project'));
}

function told({ output }: Given, data: JsonObject): void {
  if (output.json) return output.value(data);
  const runs = numberAt(data, 'runs') ?? 0;
  const live = runs === 0 ? '' : `, ${counted(runs, 'live run')} from the next call on`;
  output.line(
    `trusted: ${escapeText(textAt(data, 'file'))} (sha256 ${textAt(data, 'sha256').slice(0, 16)})${live}`,
  );
}

function shownLine(line: string): string {
  return escapeText(line.replaceAll('\t', '  '));
}
