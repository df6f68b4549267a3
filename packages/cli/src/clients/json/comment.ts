/** Behind the comment that begins at an offset: -1 where it does not end, undefined where none begins there. */
export function commentEnd(text: string, at: number): number | undefined {
  if (text.startsWith('/*', at)) {
    const end = text.indexOf('*/', at + 2);
    return end === -1 ? -1 : end + 2;
  }
  if (!text.startsWith('//', at)) return undefined;
  let end = at;
  while (end < text.length && text.charAt(end) !== '\n' && text.charAt(end) !== '\r') end += 1;
  return end;
}
