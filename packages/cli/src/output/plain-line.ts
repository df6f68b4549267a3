/**
 * A line without anything in it that CI systems take for a command anywhere: `##[`, `##vso[` (Azure),
 * `##teamcity[`.
 */
export function plainLine(text: string): string {
  return text.replaceAll('##', '#\\x23');
}

/**
 * The same for lines as they are printed: GitHub knows its commands by `::` behind blanks at the beginning.
 */
export function plainLines(text: string): string {
  return plainLine(text).replaceAll(/^([^\S\n\r\u2028\u2029]*):(?=:)/gm, String.raw`$1\x3a`);
}

/** The same for JSON text: the value stays what it was. */
export function plainJson(json: string): string {
  return json.replaceAll('##', String.raw`#\u0023`);
}
