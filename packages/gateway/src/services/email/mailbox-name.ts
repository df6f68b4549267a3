/** The name of a folder as IMAP writes it (modified UTF-7, RFC 3501 §5.1.3). */
export function mailboxName(folder: string): string {
  return folder.replaceAll(/&|[^ -~]+/g, (part) => {
    if (part === '&') return '&-';
    const bytes = Buffer.from(part, 'utf16le').swap16();
    return `&${bytes.toString('base64').replaceAll('=', '').replaceAll('/', ',')}-`;
  });
}
