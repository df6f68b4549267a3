import { textAt } from '@subluminal/core-types';
import { wordFor, type Report } from '@subluminal/records';
import { dayAndTime } from '../output/time.js';
import { happening } from '../record/live-lines.js';
import type { Against } from './against.js';
import { CODE, COUNT, count, section } from './cells.js';
import type { Section } from './document.js';
import { doneSections } from './done.js';
import { keptBackSections } from './kept-back.js';
import { stricterSection } from './stricter-section.js';

/**
 * Makes the tables of a report, first of what was kept back and last of the runs, each of `most` rows at
 * most. Empty ones are left out.
 */
export function sectionsOf(report: Report, against: Against | undefined, most: number): readonly Section[] {
  const all = [
    ...keptBackSections(report, most),
    ...doneSections(report, most),
    section(
      'Also',
      report.notable,
      most,
      [{ title: 'ENTRY', ...COUNT }, { title: 'WHEN' }, { title: 'WHAT', max: 300, min: 20 }],
      (row) => [
        { text: String(row.seq) },
        { text: dayAndTime(row.ts) },
        { text: happening(row) ?? row.type },
      ],
    ),
    ...(report.scope.runId === undefined ? [runsSection(report, most)] : []),
  ].filter(({ rows }) => rows.length > 0);
  return against === undefined ? all : [...all, stricterSection(against, most)];
}

function runsSection({ runs }: Report, most: number): Section {
  return section(
    'Runs',
    runs,
    most,
    [
      { title: 'RUN' },
      { title: 'AGENT', max: 30, min: 8, isCode: true },
      { title: 'BEGAN' },
      { title: 'CALLS', ...COUNT },
      { title: 'STATUS' },
      { title: 'FOLDER', ...CODE },
    ],
    ({ runId, start, end, calls }) => [
      { text: runId.slice(-6) },
      { text: textAt(start?.data ?? null, 'agent_id') },
      { text: start === undefined ? 'before the record' : dayAndTime(start.ts) },
      count(calls),
      { text: wordFor(end?.code ?? 'RUNNING'), tone: end?.code === 'SUCCEEDED' ? 'good' : 'warn' },
      { text: textAt(start?.data ?? null, 'workload', 'repo_path') },
    ],
  );
}
