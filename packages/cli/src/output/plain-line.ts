/**
 * A line without anything in it that CI systems take for a command: `##[`, `##vso[` (Azure), `##teamcity[`.
 * GitHub knows its own by `::` behind blanks at the beginning, so a line of a stranger also needs a sign of
 * ours in front.
 */
export function plainLine(text: string): string {
  return text.replaceAll('##', '#\\x23');
}
