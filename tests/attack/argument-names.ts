/** Names of an argument that some servers read as another one: each passes a rule that names `path`. */
export const READ_AS_ANOTHER: readonly (readonly [what: string, name: string])[] = [
  ['`__proto__`', '__proto__'],
  ['a name that ends at a NUL', 'path\0'],
  ['a name with a character of no width', 'path\u200b'],
  ['a name with a mark of direction', '\u202epath'],
  ['a name with a variation selector', 'path\ufe0f'],
  ['a fullwidth letter', '\uff50ath'],
  ['a percent-encoded letter', '%70ath'],
  ['a space behind', 'path '],
  ['a space in front', ' path'],
  ['brackets behind', 'path[]'],
];

/** A call with such a name, and the same where it is too large to be inspected. */
export function callsWith(name: string): readonly string[] {
  const line = (more: object): string =>
    JSON.stringify({
      jsonrpc: '2.0',
      id: 'evil',
      method: 'tools/call',
      // An own key, also where it is `__proto__`.
      params: { name: 'echo', arguments: Object.fromEntries([[name, 'EVIL'], ...Object.entries(more)]) },
    });
  return [line({}), line({ path: '/tmp' }), line({ path: '/tmp', pad: 'x'.repeat(1_100_000) })];
}

/** The arguments of honest tools, which reach every server. */
export const HONEST_ARGUMENTS: Readonly<Record<string, unknown>> = {
  'user.name': 'a',
  '@type': 'b',
  $ref: 'c',
  'x-y': 'd',
  'Full Name': 'e',
  'caf\u00e9': 'f',
  '\u540d\u79f0': 'g',
  '\u0e08\u0e33\u0e19\u0e27\u0e19': 'h',
  '\u{1f600}': 'i',
  files: { 'a b[1].txt': 'j', '100%25': { ' x\u200b': 'k' } },
};
