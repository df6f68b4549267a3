/**
 * Mutants that no test can kill, because nothing that anybody can observe differs. Named by file, code and kind, so that
 * a change of the code brings them back.
 *
 * @type {readonly { file: string, code: string, kinds: readonly string[], because: string }[]}
 */
export const EQUIVALENT = [
  {
    file: 'merkle/verify-proof.ts',
    code: 'proof.length === 0',
    kinds: ['never'],
    because:
      'an empty proof between two sizes is refused below as well: no step brings `sn` to 0, or the first hash is none; RFC 9162 §2.1.4.2 has it as a step',
  },
  {
    file: 'note/verifier-key.ts',
    code: "key.role === 'log'",
    kinds: ['never'],
    because:
      'of two places the one where the time is read: a signature of a log that verifies has 64 bytes, and none but one of 72 has a time',
  },
];
