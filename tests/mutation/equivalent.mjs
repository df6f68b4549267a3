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
    file: 'verify/page-source.ts',
    code: 'db.pragma(`cache_size=-${CACHE_KIB}`)',
    kinds: ['skipped'],
    because: 'only how fast it reads depends on the cache',
  },
  {
    file: 'verify/page-source.ts',
    code: 'page.hashed?.leaves.at(-1) ?? reader.storedLeaf(page.last)',
    kinds: ['left of ??', 'right of ??'],
    because:
      'a page that hashed has the leaf that is stored; behind one that did not, a page that begins with none is read row by row, which gives the same and takes longer',
  },
  {
    file: 'verify/placement.ts',
    code: 'file.number < to',
    kinds: ['< to <='],
    because: 'no listed file has the number `to`: it is the newest one that is not there',
  },
  {
    file: 'verify/seen.ts',
    code: 'run === undefined || this.#find.get(claim.id, run) !== seq',
    kinds: ['right of ||'],
    because: 'no number is bound as NULL, which equals the run of no row',
  },
  {
    file: 'verify/seen.ts',
    code: 'name === undefined',
    kinds: ['never'],
    because: 'no name is bound as NULL, which is the name of no run in the file before',
  },
  {
    file: 'verify/survey.ts',
    code: "'class' in result",
    kinds: ['always'],
    because: 'what is no finding is given a `detail`, which nobody reads',
  },
  {
    file: 'verify/survey.ts',
    code: 'row === undefined',
    kinds: ['never'],
    because: 'the rows of `head` have been counted before: the type alone asks',
  },
  {
    file: 'verify/targets.ts',
    code: 'seq - ref >= WINDOW',
    kinds: ['>= to >'],
    because:
      'the entry exactly a window before still stands in the arrays: its place is taken when `seq` itself is noted, after this',
  },
  {
    file: 'verify/threads.ts',
    code: 'this.#worker.unref()',
    kinds: ['skipped'],
    because: '`terminate` ends the thread; only a process that has nothing else to do would wait for that',
  },
  {
    file: 'verify/verification.ts',
    code: 'checker === undefined || head === undefined || memory === undefined',
    kinds: ['never', 'left of ||', 'right of ||'],
    because: 'all three are there where everything was checked: the types alone ask',
  },
  {
    file: 'verify/verification.ts',
    code: 'checker === undefined || head === undefined',
    kinds: ['left of ||', 'right of ||'],
    because: 'as above',
  },
];
