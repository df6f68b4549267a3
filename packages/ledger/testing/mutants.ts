import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readHeadsLog as readHeadsLogAt } from '../src/head/heads-log.js';
import { verifyConsistency, verifyInclusion } from '../src/merkle/verify-proof.js';
import { readCheckpointText } from '../src/note/checkpoint-text.js';
import { openLogNote } from '../src/note/open-log-note.js';
import { readNote, readSignatureLine } from '../src/note/signed-note.js';
import { splitNotes } from '../src/note/split-notes.js';
import { readVerifierKey, verifyNote } from '../src/note/verifier-key.js';
import { readSeal } from '../src/seal/record.js';

export { OneThread, Threads } from '../src/verify/threading.js';
export { verifyLedger, verifyWith } from '../src/verify/verify.js';

/** What the mutation test asks of mutants besides verification: every reader that is nothing but its arguments. */
export const calls = {
  openLogNote,
  readCheckpointText,
  readHeadsLog,
  readNote,
  readSeal,
  readSignatureLine,
  readVerifierKey,
  splitNotes,
  verifyConsistency,
  verifyInclusion,
  verifyNote,
};

function readHeadsLog(bytes: Uint8Array): ReturnType<typeof readHeadsLogAt> {
  const folder = mkdtempSync(join(tmpdir(), 'sub-heads-'));
  try {
    const path = join(folder, 'heads.log');
    writeFileSync(path, bytes);
    return readHeadsLogAt(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
