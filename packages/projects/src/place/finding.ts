import { redact, sha256Hex, textAt, type JsonObject, type JsonValue } from '@subluminal/core-types';
import { inTime, nearest, type ResolvePath } from '@subluminal/gateway';
import { marksAbove } from '@subluminal/readings';
import { filesAbove } from './folders.js';

const STATES = ['changed', 'removed', 'trusted', 'unreadable', 'untrusted'] as const;

/**
 * A policy file as the beginning of a run found it. `trusted`: its text is in force. `untrusted`: it has no
 * effect. With the others the text that was trusted last is in force.
 */
export interface Finding {
  readonly file: string;
  readonly state: (typeof STATES)[number];
}

/** The machine's side of it. */
export interface ProjectSight {
  /** The home of the account, which is no project. */
  readonly home: string;
  readonly resolve: ResolvePath;
  /** The text of a regular file of at most so many bytes; it throws for anything else. */
  readonly textOf: (file: string, maxBytes: number) => Promise<Uint8Array | undefined>;
  /** The folder that a process works in, if the system tells. */
  readonly folderOf: (pid: number) => string | undefined;
}

/** The project around a folder, and its policy files. */
export interface Seen {
  /** The folder as it was given, and as its links lead, or those of the nearest one above it. */
  readonly folders: readonly string[];
  readonly project: string | undefined;
  readonly findings: readonly Finding[];
}

/** Files that nobody trusts: so many are told of, and so many folders looked into. */
const MAX_FINDINGS = 8;
const MAX_LOOKS = 64;
/** Four bytes a character of the longest policy. */
const MAX_FILE_BYTES = 1_048_576;

/**
 * Looks for the project around a folder, and for the policy files above it. `late` if the file system has
 * no answer in time, or fails. Of a file that nobody trusts only its being there is looked at.
 */
export async function lookAround(
  sight: ProjectSight,
  folder: string,
  trusted: (file: string) => string | undefined,
): Promise<Seen | 'late'> {
  return inTime(async (isLate) => {
    const real = await nearest(folder, sight.resolve, isLate);
    let project: string | undefined;
    for (const { folder: one, marks } of marksAbove(real)) {
      if (isLate() || project !== undefined || one === '/' || one === sight.home) break;
      for (const mark of marks) if ((await sight.resolve(mark)) !== undefined) project = one;
    }
    const findings: Finding[] = [];
    let looks = 0;
    for (const file of filesAbove(real, sight.home)) {
      const sha256 = trusted(file);
      // Names of folders cost nothing: those of an agent keep no trusted file from being told of.
      if (sha256 === undefined && (looks += 1) > MAX_LOOKS) continue;
      if (isLate()) break;
      const state = await stateOf(sight, file, sha256);
      if (state === 'untrusted' && findings.length >= MAX_FINDINGS) continue;
      if (state !== undefined) findings.push({ file, state });
    }
    return {
      folders: [...new Set([folder, real])],
      project: project ?? projectIn(real, sight.home),
      findings,
    };
  });
}

/** How a file stands to the text that was trusted; undefined if there is neither. */
export async function stateOf(
  { resolve, textOf }: Pick<ProjectSight, 'resolve' | 'textOf'>,
  file: string,
  sha256: string | undefined,
): Promise<Finding['state'] | undefined> {
  if (sha256 === undefined) return (await resolve(file)) === undefined ? undefined : 'untrusted';
  try {
    const text = await textOf(file, MAX_FILE_BYTES);
    if (text === undefined) return 'removed';
    return sha256Hex(text) === sha256 ? 'trusted' : 'changed';
  } catch {
    return 'unreadable';
  }
}

/** As entries and answers say it. */
export function findingData({ file, state }: Finding): JsonObject {
  return { file: redact(file).text, state };
}

/** The findings of an entry; those that cannot be read are left out. */
export function findingsIn(value: JsonValue | undefined): readonly Finding[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((one) => {
    const [file, said] = [textAt(one, 'file'), textAt(one, 'state')];
    const state = STATES.find((name) => name === said);
    return file === '' || state === undefined ? [] : [{ file, state }];
  });
}

function projectIn(folder: string, home: string): string | undefined {
  return folder === '/' || folder === home || !folder.startsWith('/') ? undefined : folder;
}
