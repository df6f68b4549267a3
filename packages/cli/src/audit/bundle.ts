import type { BundleReport } from '@subluminal/ledger';
import type { JsonObject } from '@subluminal/core-types';
import { EXIT, type ExitCode } from '../program/exit/codes.js';
import { escapeText } from '../output/escape.js';
import type { Paint, Surface } from '../output/style.js';
import { pairs } from '../output/table.js';

const EXIT_OF: Readonly<Record<BundleReport['verdict'], ExitCode>> = {
  ok: EXIT.done,
  unproven: EXIT.unproven,
  tampered: EXIT.integrity,
  unchecked: EXIT.failed,
};

/** The exit code of a bundle's verdict. */
export function bundleExit({ verdict }: BundleReport): ExitCode {
  return EXIT_OF[verdict];
}

/** The result for programs; the names are documented in docs/cli.md. */
export function bundleJson(report: BundleReport, folder: string): JsonObject {
  return {
    verdict: report.verdict,
    exit: bundleExit(report),
    bundle: folder,
    ledger_id: report.ledgerId,
    genesis: report.genesisFingerprint,
    run_id: report.runId,
    ended: report.ended,
    entries: report.entries,
    events: report.events,
    previews: { ...report.previews },
    policies: report.policies,
    head: report.head === null ? null : { ...report.head },
    finding: report.finding === null ? null : { ...report.finding },
    reasons: [...report.reasons],
    notes: [...report.notes],
  };
}

/** The result for people. */
export function bundleLines(report: BundleReport, folder: string, surface: Surface): readonly string[] {
  const { paint, width } = surface;
  const { kept, expired, dropped } = report.previews;
  return [
    headline(report, paint),
    '',
    ...pairs(
      [
        ['bundle', { text: folder }],
        ['genesis', { text: report.genesisFingerprint ?? 'unreadable' }],
        ['run', { text: `${report.runId ?? 'unknown'}${report.ended ? '' : ', not ended'}` }],
        ['entries', { text: `${report.entries}, ${report.events} of them events` }],
        ['previews', { text: `${kept} kept, ${expired} expired, ${dropped} never kept` }],
        ['policies', { text: String(report.policies) }],
        ['head', { text: report.head === null ? 'none' : `signed over ${report.head.size} entries` }],
      ],
      paint,
      width,
    ),
    ...report.reasons.map((reason) => escapeText(reason)),
    ...report.notes.map((note) => escapeText(note)),
  ];
}

function headline({ verdict, finding }: BundleReport, paint: Paint): string {
  if (finding !== null) {
    const at = finding.at === 0 ? '' : ` at ${finding.at}`;
    return paint('bad', `tampered (${finding.class}${at}): ${escapeText(finding.detail)}`);
  }
  if (verdict === 'ok') return paint('good', 'ok: complete, unaltered, and under the key of the pin');
  if (verdict === 'unchecked') return paint('bad', 'unchecked');
  return paint('warn', 'consistent, and not proved');
}
