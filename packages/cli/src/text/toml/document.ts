import { TomlError } from 'smol-toml';
import { ParseError } from 'toml-eslint-parser';
import { TextProblem } from '../text-problem.js';
import { meaningOf, sameMeaning, syntaxMeaning, type Table } from './meaning.js';
import { Index } from './places.js';
import { sectionsOf, sourceOf, type Section } from './syntax.js';

/** A TOML text, with the place and the meaning of everything in it. */
export interface TomlDocument {
  readonly text: string;
  readonly sections: readonly Section[];
  readonly meaning: Table;
}

/**
 * Reads a TOML text by two libraries, of which only the second knows where things stand. Throws `TextProblem`
 * for a text that either refuses or that the two read differently, so that nothing is edited that was
 * misread. The problem quotes nothing of the text, which may hold secrets.
 */
export function readDocument(text: string): TomlDocument {
  try {
    const meaning = meaningOf(text);
    const sections = sectionsOf(text);
    if (sameMeaning(meaning, syntaxMeaning(text, sections))) return { text, sections, meaning };
  } catch (error) {
    throw problemOf(error, text);
  }
  throw new TextProblem('this file can be read in two ways', text, 0);
}

function problemOf(error: unknown, text: string): unknown {
  if (error instanceof ParseError) return new TextProblem(error.message, text, error.index);
  if (error instanceof RangeError) return new TextProblem('a value of this file is too long', text, 0);
  if (!(error instanceof TomlError)) return error;
  const [first = ''] = error.message.split('\n');
  const what = first.replace(/^Invalid TOML document: /, '');
  return new TextProblem(what, text, offsetOf(text, error.line, error.column));
}

/** The offset of a line and a column of a text, both from 1. */
function offsetOf(text: string, line: number, column: number): number {
  let start = 0;
  for (let left = line; left > 1; left -= 1) start = text.indexOf('\n', start) + 1;
  return start + column - 1;
}

/** Tells the source form of the value at a path. Undefined for a path that no pair has. */
export type Values = (path: readonly string[]) => string | undefined;

/** The values of a document, which is gone through once. */
export function valuesIn({ text, sections }: Pick<TomlDocument, 'text' | 'sections'>): Values {
  const index = new Index(sections);
  return (path) => {
    const value = index.pair(path)?.pair.value;
    return value === undefined ? undefined : sourceOf(text, value);
  };
}
