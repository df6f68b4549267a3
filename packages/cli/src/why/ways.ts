import { shellWord } from '@subluminal/core-types';
import { toolOf } from '@subluminal/records';
import { escapeText } from '../output/escape.js';
import { askedText, questionOf } from '../record/asked.js';
import { reachWay } from './reach.js';
import type { Refusal } from './refusal.js';

/** A run is told of no way that it may not go. */
export function waysOf(refusal: Refusal, isOutside: boolean): readonly string[] {
  const { record, callId, ruleId, of, isForRun, end } = refusal;
  const seq = String(record.first.seq);
  if (toolOf(record) === null) {
    const reach = isOutside ? reachWay(record) : undefined;
    return [...(reach === undefined ? [] : [reach]), `\`sub show ${seq}\` has all of it`];
  }
  const common = [`\`sub policy explain ${callId}\` says what each rule made of it`];
  if (!isOutside || ruleId === '') return common;
  const questionId = questionOf(record);
  if (questionId !== undefined && end === undefined) return [askedText(record.first.seq), ...common];
  if (of !== 'home') return [...common, otherWay(refusal)];
  return [
    ...common,
    isForRun && questionId === undefined
      ? `\`sub hints promote ${seq}\` lets calls like it pass in this run; with \`--persist\` for good`
      : `\`sub hints promote ${seq} --persist\` lets calls like it pass, by a rule in the policy file`,
    '`sub policy lint` checks the file after an edit; it takes effect by itself',
  ];
}

/** A policy beside that of the home narrows it: only its own text lets more pass. */
function otherWay({ of, projectFile }: Refusal): string {
  if (of === 'run')
    return 'the policy that `sub run --policy` gave the run refuses it: edit that file for the next run';
  const file = projectFile === '' ? '' : ` ${shellWord(escapeText(projectFile))}`;
  return `the project's own policy refuses it: edit it, then \`sub policy trust${file}\`; or \`sub policy untrust${file}\``;
}
