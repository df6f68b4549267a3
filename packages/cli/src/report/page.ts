import { numberAt, textAt } from '@subluminal/core-types';
import type { LedgerRow } from '@subluminal/ledger';
import { wordFor, type Report } from '@subluminal/records';
import { counted } from '../output/counted.js';
import { dayAndTime, span } from '../output/time.js';
import type { Against } from './against.js';
import type { Page, Text } from './document.js';
import { sectionsOf } from './sections.js';

/** Lays a report out, with `most` rows a table. */
export function pageOf(report: Report, against: Against | undefined, most: number, now: number): Page {
  const [run] = report.runs.rows;
  const isRun = report.scope.runId !== undefined && run !== undefined;
  return {
    title: isRun
      ? `What ${textAt(run.start?.data ?? null, 'agent_id') || 'an agent'} did`
      : 'What agents did',
    facts: [
      ...(isRun ? runFacts(report.scope.runId ?? '', run.start, run.end, now) : timeFacts(report, now)),
      ...sums(report),
    ],
    remarks: remarksOf(report),
    sections: sectionsOf(report, against, most),
  };
}

type Fact = readonly [string, Text];

function runFacts(
  runId: string,
  start: LedgerRow | undefined,
  end: LedgerRow | undefined,
  now: number,
): readonly Fact[] {
  const says = (...keys: readonly string[]): string => textAt(start?.data ?? null, ...keys);
  const took = start === undefined ? '' : `, took ${span((end?.ts ?? now) - start.ts)}`;
  const facts: readonly Fact[] = [
    ['run', { text: runId }],
    [
      'agent',
      { text: [says('agent_id'), says('client') && `(${says('client')}, ${says('env')})`].join(' ').trim() },
    ],
    ['folder', { text: says('workload', 'repo_path') }],
    [
      'began',
      { text: start === undefined ? 'before the record that is here' : `${dayAndTime(start.ts)}${took}` },
    ],
    ['status', { text: wordFor(end?.code ?? 'RUNNING'), tone: end?.code === 'SUCCEEDED' ? 'good' : 'warn' }],
    [
      'policy',
      {
        text: [
          says('policy', 'policy_id'),
          says('policy', 'policy_version'),
          says('run', 'mode') && `(${says('run', 'mode')})`,
        ]
          .join(' ')
          .trim(),
      },
    ],
  ];
  return facts.filter(([, { text }]) => text !== '');
}

function timeFacts({ scope, runs }: Report, now: number): readonly Fact[] {
  const from = scope.sinceMs === undefined ? 'the beginning' : dayAndTime(scope.sinceMs);
  return [
    ['time', { text: `${from} to ${dayAndTime(scope.untilMs ?? now)}` }],
    ['runs', { text: String(runs.rows.length + runs.left) }],
  ];
}

function sums({ calls, connections, programs }: Report): readonly Fact[] {
  const parts = [
    `${counted(calls.total, 'call')}: ${calls.ran} ran`,
    ...(calls.failed > 0 ? [`${calls.failed} of them failed`] : []),
    ...(calls.unfinished > 0 ? [`${calls.unfinished} of them did not finish`] : []),
    ...(calls.observed > 0 ? [`${calls.observed} of them would have been refused`] : []),
    ...(calls.asked > 0 ? [`${calls.asked} asked a person`] : []),
    `${calls.refused} refused`,
  ];
  const { total, refused } = connections;
  return [
    ['calls', { text: parts.join(', '), tone: calls.refused + calls.failed > 0 ? 'warn' : 'plain' }],
    ...(programs === 0 ? [] : [['programs', { text: `${programs} started by commands in worlds` }] as const]),
    ...(total === 0
      ? []
      : [
          [
            'connections',
            { text: `${total}, ${refused} refused`, tone: refused > 0 ? 'warn' : 'plain' },
          ] as const,
        ]),
  ];
}

function remarksOf(report: Report): readonly string[] {
  const { calls, firstMs, isCut, scope, runs } = report;
  const total = numberAt(runs.rows[0]?.end?.data ?? null, 'run', 'summary', 'calls_total');
  const of = scope.runId === undefined || total === undefined ? '' : ` of ${total}`;
  return [
    ...(isCut
      ? [
          `cut: the newest ${calls.total}${of} calls were read, back to ${dayAndTime(firstMs ?? 0)}; older ones are not in this report`,
        ]
      : []),
    ...(calls.unread > 0
      ? [
          `of ${counted(calls.unread, 'call')} too little was read, or is kept, to tell all files, commands and hosts`,
        ]
      : []),
  ];
}
