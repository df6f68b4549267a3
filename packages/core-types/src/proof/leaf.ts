/**
 * The text whose SHA-256, as UTF-8, is both the chain link and the RFC 6962 leaf (docs/format.md): the
 * leading NUL is the leaf prefix, so leaf and interior node can never be confused. `prev` is the leaf of the
 * entry before it, or the genesis fingerprint, in lowercase hex; `body` is the stored one.
 */
export function preimage(ledgerId: string, seq: number, prev: string, body: string): string {
  return `\0subl/entry/v1\n${ledgerId}\n${seq}\n${prev}\n${body}`;
}
