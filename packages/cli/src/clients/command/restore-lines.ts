import type { SublError } from '@subluminal/core-types';
import type { Client, ClientFile } from '../client.js';
import type { PutBack } from '../file/put-back.js';
import type { Restored } from '../file/restore-file.js';
import { counted } from '../../output/counted.js';
import { escapeText } from '../../output/escape.js';
import type { Call } from '../../program/call.js';

/** The outcome of one file. */
export interface RestoredFile {
  readonly client: Client;
  readonly file: ClientFile;
  readonly restored?: Restored;
  readonly diff: readonly string[];
  /** Why it was not touched. */
  readonly problem?: SublError;
}

const BECAME: Readonly<Record<PutBack['became'], string>> = {
  restored: 'as it was',
  unwrapped: 'its own command again; what was changed since stays',
  gone: 'left as it is',
  left: 'still routed',
};

/**
 * The outcomes for people. Files that never had anything of ours are left out. `hooked`: the files out of
 * which hooks were taken, or undefined where none were told of.
 */
export function restoreLines(
  call: Call,
  files: readonly RestoredFile[],
  { isDry, hooked }: { readonly isDry: boolean; readonly hooked: readonly string[] | undefined },
): readonly string[] {
  const lines = files.flatMap((one) => fileLines(call, one));
  const changed = files.filter(({ restored }) => restored !== undefined && isChanged(restored));
  const paths = new Set([...(hooked ?? []), ...changed.map(({ file }) => file.path)]);
  if (lines.length === 0 && paths.size === 0)
    return hooked !== undefined ? [] : ['nothing of `sub import` or `sub hooks install` is in any file'];
  const none = paths.size === 0 ? 'no file was changed' : undefined;
  const end = isDry
    ? `${counted(paths.size, 'file')} would be restored; nothing was changed`
    : `${counted(paths.size, 'file')} restored; restart what is running`;
  return [...lines, none ?? end];
}

/** The same for programs, one file a line. */
export function restoreJson({ client, file, restored, diff, problem }: RestoredFile, isDry: boolean): object {
  return {
    client: client.name,
    path: file.path,
    dry_run: isDry,
    how: restored?.how ?? null,
    changed: !isDry && restored !== undefined && isChanged(restored),
    servers: (restored?.entries ?? []).map(({ name, pointer, became, why }) => ({
      name,
      pointer,
      became,
      ...(why === undefined ? {} : { why }),
    })),
    ...(problem === undefined ? {} : { problem: problem.message }),
    ...(isDry ? { diff: diff.join('\n') } : {}),
  };
}

function fileLines(call: Call, { file, restored, diff, problem }: RestoredFile): readonly string[] {
  const { paint } = call.output;
  const path = escapeText(file.path);
  if (problem !== undefined || restored === undefined) {
    const help = problem?.help === undefined ? [] : [`  ${escapeText(problem.help)}`];
    return [path, `  ${paint('bad', 'not touched')}: ${escapeText(problem?.message ?? '')}`, ...help];
  }
  if (restored.how === 'missing' || (restored.how === 'none' && restored.entries.length === 0)) return [];
  const width = Math.max(0, ...restored.entries.map(({ name }) => escapeText(name).length));
  return [
    restored.how === 'bytes' ? `${path}: ${paint('good', 'byte for byte as it was')}` : path,
    ...restored.entries.map(({ name, became, why }) => {
      const tone = became === 'left' ? 'bad' : became === 'gone' ? 'warn' : 'good';
      const reason = why === undefined ? '' : `: ${escapeText(why)}`;
      return `  ${escapeText(name).padEnd(width)}  ${paint(tone, BECAME[became])}${reason}`;
    }),
    ...diff.map((line) => `  ${escapeText(line)}`),
  ];
}

function isChanged({ before, after }: { readonly before: string; readonly after: string }): boolean {
  return before !== after;
}
