/** The notes of a file that they were appended to. */
export interface NoteFile {
  readonly notes: readonly string[];
  /**
   * The text behind the last whole note: a crash while appending leaves part of one. Empty in an orderly
   * file.
   */
  readonly rest: string;
}

const SIGNATURE = '— ';

/** Takes apart signed notes that stand one behind the other: each ends with its last signature line. */
export function splitNotes(text: string): NoteFile {
  const notes: string[] = [];
  let note = '';
  let signed = false;
  const end = text.lastIndexOf('\n') + 1;
  for (const line of text.slice(0, end).split('\n').slice(0, -1)) {
    if (signed && !line.startsWith(SIGNATURE)) {
      notes.push(note);
      note = '';
      signed = false;
    }
    signed ||= line.startsWith(SIGNATURE) && note.endsWith('\n\n');
    note += `${line}\n`;
  }
  if (signed) return { notes: [...notes, note], rest: text.slice(end) };
  return { notes, rest: note + text.slice(end) };
}
