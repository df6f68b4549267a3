import type { SublError } from '@subluminal/core-types';
import type { Client, Unroutable } from '../client.js';
import { tokenLine } from '../tokens.js';
import { counted } from '../../output/counted.js';
import { escapeText } from '../../output/escape.js';
import type { Tone } from '../../output/style.js';
import type { Call } from '../../program/call.js';
import type { Asked, FileOutcome } from './import-client.js';

/** The outcome of one client. */
export interface ClientOutcome {
  readonly client: Client;
  readonly files: readonly FileOutcome[];
  readonly unroutable: readonly Unroutable[];
  /** Why nothing of it was looked at. */
  readonly problem?: SublError;
}

/** The outcomes for people. */
export function importLines(call: Call, outcomes: readonly ClientOutcome[], asked: Asked): readonly string[] {
  const { paint } = call.output;
  const lines: string[] = [];
  let routed = 0;
  const changed: string[] = [];
  for (const { client, files, unroutable, problem } of outcomes) {
    if (problem === undefined && files.length === 0 && unroutable.length === 0 && outcomes.length > 1)
      continue;
    lines.push(paint('bold', client.title));
    if (problem !== undefined) lines.push(`  ${paint('bad', 'not touched')}: ${escapeText(problem.message)}`);
    else if (files.length === 0) lines.push('  no configuration was found');
    for (const outcome of files) {
      routed += outcome.planned.filter(({ becomes }) => becomes === 'routed').length;
      if (outcome.isChanged) changed.push(client.name);
      lines.push(...fileLines(call, outcome, asked.isDry));
    }
    if (unroutable.length > 0) lines.push('  not in files that can be changed');
    for (const { name, reason } of unroutable) lines.push(serverLine(call, name, 'left', reason, 0));
    lines.push('');
  }
  if (lines.length === 0) return ['no configuration of any client was found'];
  const names = [...new Set(changed)];
  if (asked.isDry) return [...lines, `${counted(routed, 'server')} would be routed; nothing was changed`];
  if (names.length === 0) return [...lines, 'nothing was changed'];
  const one = names.length === 1 ? (names[0] ?? 'all') : 'all';
  return [
    ...lines,
    `${counted(routed, 'server')} routed through \`${escapeText(call.home.home)}\`; restart what is running`,
    `\`sub restore ${one}\` takes it back; \`sub tail\` shows each call`,
  ];
}

/** The same for programs, one client a line. */
export function importJson(
  { client, files, unroutable, problem: whole }: ClientOutcome,
  isDry: boolean,
): object {
  return {
    client: client.name,
    ...(whole === undefined ? {} : { problem: whole.message }),
    dry_run: isDry,
    files: files.map(({ file, isChanged, planned, problem, diff, remarks }) => ({
      path: file.path,
      scope: file.scope,
      changed: isChanged && !isDry,
      servers: planned.map(({ entry, becomes, why }) => ({
        name: entry.name,
        scope: entry.scope,
        pointer: entry.pointer,
        becomes,
        ...(why === undefined ? {} : { why }),
      })),
      ...(problem === undefined ? {} : { problem: problem.message }),
      ...(isDry ? { diff: diff.join('\n') } : {}),
      remarks,
    })),
    unroutable: unroutable.map(({ name, reason }) => ({ name, reason })),
  };
}

function fileLines(call: Call, outcome: FileOutcome, isDry: boolean): readonly string[] {
  const { file, planned, problem, diff, remarks } = outcome;
  const { paint } = call.output;
  const path = `  ${escapeText(file.path)}`;
  if (problem !== undefined) {
    const help = problem.help === undefined ? [] : [`    ${escapeText(problem.help)}`];
    return [path, `    ${paint('bad', 'not touched')}: ${escapeText(problem.message)}`, ...help];
  }
  const width = Math.max(0, ...planned.map(({ entry }) => escapeText(entry.name).length));
  return [
    path,
    ...(planned.length === 0 ? ['    no servers'] : []),
    ...planned.flatMap(({ entry, becomes, why }) => {
      const project = entry.scope === 'local' ? ` (${entry.pointer[1] ?? ''})` : '';
      const word = becomes === 'routed' && isDry ? 'would be routed' : WORDS[becomes];
      return serverLine(call, entry.name, becomes, `${word}${escapeText(project)}`, width, why);
    }),
    ...[...remarks, ...planned.flatMap(({ entry }) => tokenLine(entry) ?? [])].map(
      (remark) => `    ${escapeText(remark)}`,
    ),
    ...diff.map((line) => paintDiff(call, line)),
  ];
}

const WORDS = { routed: 'routed', already: 'routed already', left: 'left as it is' } as const;
const TONES: Readonly<Record<keyof typeof WORDS, Tone>> = { routed: 'good', already: 'plain', left: 'warn' };

function serverLine(
  call: Call,
  name: string,
  becomes: keyof typeof WORDS,
  text: string,
  width: number,
  why?: string,
): string {
  const reason = why === undefined ? '' : `: ${escapeText(why)}`;
  return `    ${escapeText(name).padEnd(width)}  ${call.output.paint(TONES[becomes], escapeText(text))}${reason}`;
}

function paintDiff(call: Call, line: string): string {
  const tone: Tone = line.startsWith('+') ? 'good' : line.startsWith('-') ? 'bad' : 'plain';
  return `    ${call.output.paint(line.startsWith('@') ? 'dim' : tone, escapeText(line))}`;
}
