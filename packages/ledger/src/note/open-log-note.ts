import {
  readNote,
  type VerifierKey,
  verifyNote,
  type CheckpointText,
  readCheckpointText,
} from '@subluminal/core-types';

/**
 * Reads a checkpoint that a log signed: a note whose first line is the log's name, with a signature of its
 * key that verifies. Signatures of other keys are left alone; they are for whoever knows those keys.
 *
 * @returns the checkpoint, or a few words on why it is none of this log's.
 */
export function openLogNote(note: string, log: VerifierKey): CheckpointText | string {
  const read = readNote(note);
  if (read === undefined) return 'it is not a signed note';
  const checkpoint = readCheckpointText(read.text);
  if (checkpoint === undefined) return 'it is not a checkpoint';
  if (checkpoint.origin !== log.name) return `it speaks of \`${checkpoint.origin}\`, not of this log`;
  const verified = verifyNote(read, log);
  if (verified === 'absent') return 'the log has not signed it';
  return verified === 'wrong' ? 'the signature of the log does not verify' : checkpoint;
}
