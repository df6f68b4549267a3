/**
 * Mutants that no test can kill, because nothing that anybody can observe differs. Named by file, code and kind, so that
 * a change of the code brings them back.
 *
 * @type {readonly { file: string, code: string, kinds: readonly string[], because: string }[]}
 */
export const EQUIVALENT = [];
