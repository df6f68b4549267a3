import type { Finding, VerifyReport } from '@subluminal/ledger';
import type { JsonObject, SublError } from '@subluminal/core-types';
import { EXIT, type ExitCode } from '../program/exit/codes.js';
import { counted } from '../output/counted.js';
import { escapeText } from '../output/escape.js';
import type { Paint, Surface } from '../output/style.js';
import { pairs } from '../output/table.js';
import { ago } from '../output/time.js';
import type { VerifySubject } from './memory.js';
import type { Outside } from './outside.js';

/** The evidence that it was held against. */
type Held = Omit<Outside, 'unasked'>;

/** A verification with what the command line adds to it. */
export interface Judged {
  readonly report: VerifyReport;
  readonly subject: VerifySubject;
  readonly verdict: VerifyReport['verdict'];
  readonly reasons: readonly string[];
  /** Why the anchors that it remembers could not be looked at, where that is so. */
  readonly unasked: SublError | null;
}

const EXIT_OF: Readonly<Record<VerifyReport['verdict'], ExitCode>> = {
  ok: EXIT.done,
  unproven: EXIT.unproven,
  tampered: EXIT.integrity,
  unchecked: EXIT.failed,
};

const PIN = 'name the genesis fingerprint that you keep of it with `--pin`, and a heads.log with `--heads`';
const PUT_BACK = 'put the closed files back into `segments/`, and verify again';

const MAKE_READABLE = 'make that file one that you can read, or put it back from a backup, and verify again';

const NEXT: Readonly<Record<VerifyReport['verdict'], string>> = {
  ok: '',
  unproven: 'keep heads.log where this user cannot write, and verify against it with `--heads FILE`',
  tampered: 'stop the gateway, keep this file and its heads.log as they are, and compare them with a backup',
  unchecked: 'name a `ledger.db`, or a copy of one; `sub doctor` checks the ledger of the home',
};

/**
 * A copy proves nothing about its age by what came along with it: without a pin it is never more than
 * unproven. Where its anchors could not be looked at, nothing that they might contradict is proved either.
 */
export function judge(
  report: VerifyReport,
  subject: VerifySubject,
  { pinned, unasked }: { readonly pinned: boolean; readonly unasked: SublError | null },
): Judged {
  const plain = { report, subject, verdict: report.verdict, reasons: report.reasons, unasked };
  if (report.verdict === 'tampered') return plain;
  if (unasked !== null) {
    const reason = `the anchors that the ledger remembers could not be looked at: ${unasked.message}`;
    return { ...plain, verdict: 'unchecked', reasons: [...report.reasons, reason] };
  }
  if (report.verdict !== 'ok' || !subject.isCopy || pinned) return plain;
  const reason = 'this is a copy: only with `--pin` and `--heads` can it be proved to be whole and recent';
  return { ...plain, verdict: 'unproven', reasons: [...report.reasons, reason] };
}

/** The exit code of a verdict. */
export function exitOf(judged: Judged): ExitCode {
  return EXIT_OF[judged.verdict];
}

/** The result for programs; the names are documented in docs/cli.md. */
export function verdictJson(judged: Judged, outside: Held, now: number): JsonObject {
  const { report, subject } = judged;
  return {
    verdict: judged.verdict,
    exit: exitOf(judged),
    ledger: subject.ledger,
    ledger_id: report.ledgerId,
    genesis: report.genesisFingerprint,
    entries: report.entries,
    segments: { ...report.segments },
    runs: report.runs,
    blobs: report.blobs,
    expired: report.expired,
    open: report.open,
    root: report.root,
    head_size: report.headSize,
    seals: report.seals,
    sealed_size: report.sealedSize,
    heads_log: subject.headsLog ?? null,
    memory:
      report.memory === null
        ? null
        : { size: report.memory.size, ts: report.memory.ts, age_ms: Math.max(0, now - report.memory.ts) },
    receipts: outside.receipts.length,
    anchors: anchorsJson(outside, now),
    finding: report.finding === null ? null : { ...report.finding },
    reasons: [...judged.reasons],
    notes: [...report.notes],
  };
}

/** The result for people. */
export function verdictLines(
  judged: Judged,
  outside: Held,
  surface: Surface,
  now: number,
): readonly string[] {
  const { paint, width } = surface;
  const { report, subject } = judged;
  const facts = pairs(
    [
      ['ledger', { text: subject.ledger }],
      ['genesis', { text: report.genesisFingerprint ?? 'unreadable' }],
      ['entries', { text: counts(report) }],
      ...filesFact(report),
      ['root', { text: report.root ?? 'not computed' }],
      ['head', { text: report.headSize === null ? 'none' : `signed over ${report.headSize} entries` }],
      ['seals', { text: sealText(report) }],
      ['memory', { text: memoryText(judged, now) }],
      ...outsideFacts(outside, now),
    ],
    paint,
    width - 2,
  );
  const next = nextStep(judged);
  return [
    headline(judged, paint),
    ...facts.map((line) => `  ${line}`),
    ...judged.reasons.map((reason) => `${paint('warn', 'because')}: ${escapeText(reason)}`),
    ...report.notes.map((note) => `${paint('bold', 'note')}: ${escapeText(note)}`),
    ...(next === '' ? [] : [`${paint('bold', 'help')}: ${next}`]),
  ];
}

function nextStep(judged: Judged): string {
  if (lacksFiles(judged)) return PUT_BACK;
  if (judged.verdict === 'unchecked' && judged.unasked !== null) return judged.unasked.help ?? MAKE_READABLE;
  if (judged.verdict === 'unchecked' && judged.report.help !== null) return judged.report.help;
  return judged.verdict === 'unproven' && judged.subject.isCopy ? PIN : NEXT[judged.verdict];
}

/** Held against it besides heads.log; nothing where nothing was. */
function outsideFacts(outside: Held, now: number): readonly [string, { readonly text: string }][] {
  const { receipts, anchors, remembered } = outside;
  const largest = Math.max(0, ...anchors.map(({ size }) => size));
  return [
    ...(receipts.length === 0 ? [] : [named('receipts', `${receipts.length} held against it`)]),
    ...(anchors.length === 0
      ? []
      : [
          named(
            'anchors',
            `${counted(anchors.length, 'checkpoint')}, up to ${largest} entries${newestText(remembered, now)}`,
          ),
        ]),
  ];
}

function newestText({ known, checked, newest }: Held['remembered'], now: number): string {
  if (newest === null) return '';
  const unseen = known - checked;
  const rest = unseen === 0 ? '' : `; ${unseen} not reachable from here`;
  return `; newest ${ago(newest.ts, now)} (${newest.kind} ${newest.target})${rest}`;
}

function anchorsJson({ anchors, remembered }: Held, now: number): JsonObject {
  const { known, checked, newest } = remembered;
  return {
    checkpoints: anchors.length,
    known,
    checked,
    newest: newest === null ? null : { ...newest, age_ms: Math.max(0, now - newest.ts) },
  };
}

function named(name: string, text: string): [string, { readonly text: string }] {
  return [name, { text }];
}

function headline(judged: Judged, paint: Paint): string {
  switch (judged.verdict) {
    case 'ok':
      return `${paint('good', 'ok')}: every entry re-hashes, the head is signed, and the outside memory agrees`;
    case 'unproven':
      return `${paint('warn', 'consistent, but unproven')}: ${lacksFiles(judged) ? 'closed files of it are not there' : 'nothing outside proves that this is the newest state'}`;
    case 'tampered':
      return `${paint('bad', 'tampered')}: ${findingText(judged.report.finding)}`;
    case 'unchecked':
      return `${paint('bad', 'not checked')}: the ledger could not be read to its end`;
  }
}

/** Whatever remembers it: what is not there cannot be verified. */
function lacksFiles({ verdict, report }: Judged): boolean {
  return verdict === 'unproven' && report.segments.missing > 0;
}

function findingText(finding: Finding | null): string {
  if (finding === null) return 'the ledger contradicts itself';
  const where = finding.seq === 0 ? '' : `first bad entry ${finding.seq}, `;
  return `${where}class ${finding.class}: ${escapeText(finding.detail)}`;
}

function counts(report: VerifyReport): string {
  if (report.verdict === 'tampered') return `${report.entries} checked before the contradiction`;
  const open = report.open === 0 ? '' : `, ${report.open} open`;
  const { first } = report.segments;
  const which = first === 1 ? `${report.entries}` : `${first} to ${report.entries}`;
  return `${which} checked in ${counted(report.runs, 'run')}${open}`;
}

/** Where the ledger is in several files. */
function filesFact({ segments }: VerifyReport): readonly [string, { readonly text: string }][] {
  const { verified, missing } = segments;
  if (verified <= 1 && missing === 0) return [];
  const gone = missing === 0 ? '' : `; ${missing} not there`;
  return [named('files', `${verified} checked${gone}`)];
}

function sealText({ seals, sealedSize }: VerifyReport): string {
  return seals === 0 ? 'none' : `${counted(seals, 'seal')}, the newest over ${sealedSize} entries`;
}

function memoryText(judged: Judged, now: number): string {
  const { report, subject } = judged;
  const { memory } = report;
  const path = subject.headsLog;
  if (path === undefined) return 'none';
  if (memory !== null) return `${memory.size} entries, ${ago(memory.ts, now)} (${path})`;
  return judged.verdict === 'ok' ? `the genesis, and no entries yet (${path})` : `nothing usable at ${path}`;
}
