import { TomlError } from 'smol-toml';
import { TextProblem } from '../text-problem.js';
import { TomlSyntax } from './cursor.js';
import { libraryMeaning, sameMeaning, scannedMeaning, type Table } from './meaning.js';
import type { SectionNode } from './nodes.js';
import { scanToml } from './scan.js';

/** A TOML text, where everything in it stands, and what it means. */
export interface TomlDocument {
  readonly text: string;
  readonly sections: readonly SectionNode[];
  readonly meaning: Table;
}

/**
 * Reads a TOML text twice, by the library and by our own scanner, which alone knows where things stand. Throws
 * `TextProblem` where it is no TOML, or where the two do not read the same out of it: nobody edits what he misreads.
 * The problem quotes nothing of the text, which may hold secrets.
 */
export function readDocument(text: string): TomlDocument {
  try {
    const meaning = libraryMeaning(text);
    const sections = scanToml(text);
    if (!sameMeaning(meaning, scannedMeaning(text, sections))) {
      throw new TomlSyntax('this file can be read in two ways', 0);
    }
    return { text, sections, meaning };
  } catch (error) {
    if (error instanceof TomlSyntax) throw new TextProblem(error.message, text, error.at);
    if (!(error instanceof TomlError)) throw error;
    const [first = ''] = error.message.split('\n');
    const what = first.replace(/^Invalid TOML document: /, '');
    throw new TextProblem(what, text, offsetOf(text, error.line, error.column));
  }
}

/** The offset of a line and a column of a text, both from 1. */
function offsetOf(text: string, line: number, column: number): number {
  let start = 0;
  for (let left = line; left > 1; left -= 1) start = text.indexOf('\n', start) + 1;
  return start + column - 1;
}
