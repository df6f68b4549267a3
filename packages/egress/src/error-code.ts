/**
 * The code that Node gives to what went wrong outside, in parentheses; never a free text, which may hold what
 * a peer sent.
 */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? ` (${error.code})`
    : '';
}
