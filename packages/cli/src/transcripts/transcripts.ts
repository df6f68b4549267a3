import { fromDisk } from './from-disk.js';
import { codexHome } from '../clients/codex/files.js';
import { settingsFolder } from '../clients/claude/files.js';
import type { Where } from '../clients/client.js';
import { join } from 'node:path';
import type { Bounds, LeftOut } from './bounds.js';
import { claudeReader } from './claude.js';
import { codexReader } from './codex.js';
import { sessionFiles } from './files.js';
import { linesOf } from './lines.js';
import type { LineReader, MadeCall } from './made-call.js';

/** A client's session files: where they lie, and how they are read. */
interface Transcripts {
  readonly folder: (where: Where) => string;
  readonly isSession: (name: string) => boolean;
  readonly reader: () => LineReader;
}

/** The clients whose session files can be read. */
export const TRANSCRIPT_CLIENTS = ['claude', 'codex'] as const;
export type TranscriptClient = (typeof TRANSCRIPT_CLIENTS)[number];

const OF: Readonly<Record<TranscriptClient, Transcripts>> = {
  claude: {
    folder: (where) => join(settingsFolder(where), 'projects'),
    isSession: (name) => name.endsWith('.jsonl'),
    reader: claudeReader,
  },
  codex: {
    folder: (where) => join(codexHome(where), 'sessions'),
    isSession: (name) => /^rollout-.*\.jsonl$/.test(name),
    reader: codexReader,
  },
};

/** Where a client keeps its session files on a machine. */
export function transcriptFolder(client: TranscriptClient, where: Where): string {
  return OF[client].folder(where);
}

/** One step of reading session files. */
export type Step =
  | { readonly what: 'file'; readonly at: number; readonly of: number }
  | { readonly what: 'call'; readonly at: number; readonly call: MadeCall; readonly ts: number };

/** A session that goes on in another file is copied there: its calls are known by their ids. */
const MAX_KNOWN = 1_000_000;

/** Reads the calls since a moment out of the session files below a folder, and nothing else of them. */
export function* madeCalls(
  client: TranscriptClient,
  folder: string,
  sinceMs: number,
  bounds: Bounds,
  left: LeftOut,
): Generator<Step> {
  const { isSession, reader } = OF[client];
  const files = sessionFiles(folder, isSession, sinceMs, bounds, left);
  const budget = { bytes: bounds.bytes };
  const known = new Set<string>();
  for (const [at, { path, changedMs }] of files.entries()) {
    yield { what: 'file', at, of: files.length };
    const read = reader();
    const lines = linesOf(path, bounds, budget, left);
    for (;;) {
      const next = fromDisk(() => lines.next());
      if (next === undefined) left.files += 1;
      if (next === undefined || next.done === true) break;
      const calls = read(next.value);
      if (calls === 'bad') left.bad += 1;
      else
        for (const call of calls) {
          const ts = call.ts ?? changedMs;
          const key = `${call.id} ${ts}`;
          if (ts < sinceMs || known.has(key)) continue;
          if (call.id !== '' && known.size < MAX_KNOWN) known.add(key);
          yield { what: 'call', at, call, ts };
        }
    }
  }
}
