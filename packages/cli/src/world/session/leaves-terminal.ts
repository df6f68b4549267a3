/**
 * Tells whether the command would have our own terminal, as with `| tee log`: a program that it leaves behind
 * in a world that goes on could read what is typed there later.
 */
export function leavesTerminal(): boolean {
  const isWhole = process.stdin.isTTY && process.stdout.isTTY;
  return !isWhole && (process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY);
}
