/** The name of a folder in modified UTF-7 (https://www.rfc-editor.org/rfc/rfc3501#section-5.1.3). */
export function mailboxName(folder: string): string {
  return folder.replaceAll(/&|[^ -~]+/g, (part) => {
    if (part === '&') return '&-';
    const bytes = Buffer.from(part, 'utf16le').swap16();
    return `&${bytes.toString('base64').replaceAll('=', '').replaceAll('/', ',')}-`;
  });
}

/** The folder of such a name; a name in no such form stays as it is. */
export function folderOf(name: string): string {
  const folder = name.replaceAll(/&([A-Za-z0-9+,]*)-/g, (_whole, part: string) => {
    if (part === '') return '&';
    const bytes = Buffer.from(part.replaceAll(',', '/'), 'base64');
    return bytes
      .subarray(0, bytes.length & ~1)
      .swap16()
      .toString('utf16le');
  });
  return mailboxName(folder) === name ? folder : name;
}
