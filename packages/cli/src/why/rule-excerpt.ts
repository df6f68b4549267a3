import { listAt, textAt, type JsonValue } from '@subluminal/core-types';
import { compileGlob } from '@subluminal/policy';
import { toolOf, type CallRecord } from '@subluminal/records';

/** A rule of so many lines is shown as it is; of a longer one the beginning and the patterns that fit. */
const MAX_LINES = 12;
const HEAD = 5;
const MAX_FITTING = 4;
/** Patterns that are tried. */
const MAX_PATTERNS = 2000;

/** Lines of a rule, each with how far it stands behind the first; undefined in the place of others. */
export type Excerpt = readonly ({ readonly at: number; readonly text: string } | undefined)[];

/** The part of a rule that a refused call is about. */
export function ruleExcerpt(text: string, record: CallRecord): Excerpt {
  const lines = text.split('\n').map((line, at) => ({ at, text: line }));
  if (lines.length <= MAX_LINES) return lines;
  const named = namesOf(record);
  let tried = 0;
  const fits = (line: string): boolean =>
    patternsOf(line).some((pattern) => {
      if ((tried += 1) > MAX_PATTERNS || !/[*?{]| /.test(pattern)) return false;
      const compiled = compileGlob(pattern);
      return compiled.ok && named.some((name) => compiled.test(name));
    });
  const fitting = lines.filter(({ at, text: line }) => at >= HEAD && fits(line)).slice(0, MAX_FITTING);
  return [...lines.slice(0, HEAD), ...fitting].flatMap((line, index, shown) => {
    const before = shown[index - 1]?.at ?? -1;
    const isLast = index === shown.length - 1 && line.at < lines.length - 1;
    return [...(line.at > before + 1 ? [undefined] : []), line, ...(isLast ? [undefined] : [])];
  });
}

/** The texts that the patterns of a rule are held against. */
function namesOf(record: CallRecord): readonly string[] {
  const readings: JsonValue = record.decision?.data ?? null;
  const commands = listAt(readings, 'facts', 'readings', 'commands').map((one) => textAt(one, 'argv'));
  return [...commands, toolOf(record)?.[1] ?? ''].filter((text) => text !== '');
}

/** The texts of a line of YAML that may be patterns: in quotes, or an item of a list. */
function patternsOf(line: string): readonly string[] {
  const quoted = [...line.matchAll(/'((?:[^']|'')*)'|"([^"\\]*)"/g)].map(([, single, double]) =>
    (single ?? double ?? '').replaceAll("''", "'"),
  );
  const item = /^\s*- ([^'"#[{][^#]*)$/.exec(line)?.[1];
  return item === undefined ? quoted : [item.trimEnd()];
}
