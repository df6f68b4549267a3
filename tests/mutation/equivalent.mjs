/**
 * Mutants that no test can kill, because nothing that anybody can observe differs. Named by file, code and
 * kind, so that a change of the code brings them back.
 *
 * @type {readonly { file: string, code: string, kinds: readonly string[], because: string }[]}
 */
export const EQUIVALENT = [
  {
    file: 'core-types/src/note/signed-note.ts',
    code: "dash !== '—' || blob === undefined",
    kinds: ['left of ||'],
    because: 'a line without a signature is refused below as well: nothing is no base64',
  },
  {
    file: 'genesis/load.ts',
    code: 'record === undefined',
    kinds: ['never'],
    because: 'what is not there reads as no record below, too',
  },
  {
    file: 'core-types/src/proof/verify-proof.ts',
    code: 'proof.length === 0',
    kinds: ['never'],
    because:
      'an empty proof between two sizes is refused below as well: no step brings `sn` to 0, or the first hash is none; RFC 9162 §2.1.4.2 has it as a step',
  },
  {
    file: 'verify/blobs.ts',
    code: 'this.#next < first',
    kinds: ['never', 'always', '< to <='],
    because: 'it spares a lookup: where the next preview lies is known from the page before, or asked again',
  },
  {
    file: 'verify/blobs.ts',
    code: 'this.#expected.size === 0 && this.#next > last',
    kinds: ['never'],
    because: 'a page that expects no preview and holds none has nothing to go through',
  },
  {
    file: 'verify/blobs.ts',
    code: 'this.#expected.clear()',
    kinds: ['skipped'],
    because: 'what is still expected then has expired, and is let go again at the end of each later page',
  },
  {
    file: 'verify/bytes.ts',
    code: 'length < 4',
    kinds: ['always', '< to <='],
    because: 'it chooses how bytes are compared, by ones or by words',
  },
  {
    file: 'verify/carried.ts',
    code: "(a.run ?? '') < (b.run ?? '')",
    kinds: ['< to <='],
    because: 'no two of the chains that go on are of one run',
  },
  {
    file: 'verify/checkpoints.ts',
    code: 'this.#next === size',
    kinds: ['always'],
    because: '`check` compares what speaks of the present size, and where nothing does, nothing',
  },
  {
    file: 'verify/checkpoints.ts',
    code: 'this.#stored === undefined',
    kinds: ['never'],
    because: 'the type alone asks: a file is entered, and its head with it, before anything is compared',
  },
  {
    file: 'verify/claims.ts',
    code: 'error instanceof SyntaxError',
    kinds: ['always'],
    because: '`JSON.parse` throws nothing else',
  },
  {
    file: 'verify/entries.ts',
    code: 'this.#parts === undefined',
    kinds: ['never'],
    because: 'the type alone asks: a file is entered before its first entry is checked',
  },
  {
    file: 'verify/entries.ts',
    code: 'ref !== null && frame.closes',
    kinds: ['right of &&'],
    because:
      'what closes an effect was refused before if it refers to none, and nothing that is open is null',
  },
  {
    file: 'verify/entries.ts',
    code: 'seq === this.#checkpoints.next',
    kinds: ['always'],
    because: '`check` compares what speaks of the present size, and where nothing does, nothing',
  },
  {
    file: 'verify/entries.ts',
    code: 'frame.kind === KINDS.anchored && isCanonical(data)',
    kinds: ['right of &&'],
    because: 'the two other kinds that come so far are let through by the next line, whatever their data is',
  },
  {
    file: 'verify/expiry.ts',
    code: 'count < claimed.found',
    kinds: ['< to <='],
    because: 'asked only where the two differ',
  },
  {
    file: 'verify/expiry.ts',
    code: 'seq > (this.#claimed.at(-1)?.to ?? 0)',
    kinds: ['never'],
    because: 'it spares a search: no range reaches behind the last one, or its entry is refused',
  },
  {
    file: 'verify/expiry.ts',
    code: 'this.#near !== undefined && isAt(this.#near)',
    kinds: ['never'],
    because:
      'it spares a search, which finds the same range: of two that overlap the later one is refused, whichever of them counts',
  },
  {
    file: 'verify/expiry.ts',
    code: 'error instanceof SyntaxError',
    kinds: ['always'],
    because: '`JSON.parse` throws nothing else',
  },
  {
    file: 'verify/files.ts',
    code: 'error instanceof SqliteError && /^SQLITE_(NOTADB|CORRUPT)/.test(error.code)',
    kinds: ['right of &&'],
    because: 'errors of others have no such code',
  },
  {
    file: 'verify/files.ts',
    code: 'error instanceof SqliteDatabase.SqliteError && /^SQLITE_(NOTADB|CORRUPT)/.test(error.code)',
    kinds: ['right of &&'],
    because: 'the type alone asks: no error but SQLite’s has a code that begins so',
  },
  {
    file: 'verify/integrity.ts',
    code: "db.pragma('shrink_memory')",
    kinds: ['skipped'],
    because: 'it gives memory back, and changes nothing that is said',
  },
  {
    file: 'verify/integrity.ts',
    code: 'db.pragma(`cache_size=-${CACHE_KIB}`)',
    kinds: ['skipped'],
    because: 'only how fast SQLite checks depends on the cache',
  },
  {
    file: 'verify/memory.ts',
    code: "typeof after === 'string' || (typeof before === 'string' && before !== 'missing')",
    kinds: ['left of ||'],
    because:
      'the type alone asks: a log that was broken, or not given, has no fingerprint that the later one could share',
  },
  {
    file: 'verify/names.ts',
    code: 'cached !== undefined',
    kinds: ['never'],
    because: 'what is not kept is built again from the same rows',
  },
  {
    file: 'verify/names.ts',
    code: 'cache.size >= CACHED_FRAMES',
    kinds: ['never', 'always', '>= to >'],
    because: 'it bounds the memory: what is not kept is built again from the same rows',
  },
  {
    file: 'verify/names.ts',
    code: 'cache.clear()',
    kinds: ['skipped'],
    because: 'it bounds the memory, and changes nothing that is said',
  },
  {
    file: 'verify/names.ts',
    code: 'cache.set(key, value)',
    kinds: ['skipped'],
    because: 'what is not kept is built again from the same rows',
  },
  {
    file: 'verify/names.ts',
    code: 'codeName === undefined || numberOfCode(kind, codeName) !== code',
    kinds: ['right of ||'],
    because: 'what is no name of a code has no number either',
  },
  {
    file: 'segments/closed.ts',
    code: 'error instanceof Error',
    kinds: ['always'],
    because: 'the file system throws nothing but errors',
  },
  {
    file: 'verify/page-text.ts',
    code: 'joined === null || hashes === null || count !== last - first + 1',
    kinds: ['right of ||'],
    because: 'both texts are null of no rows only, and no page has none',
  },
  {
    file: 'verify/page-text.ts',
    code: 'joined === null || hashes === null',
    kinds: ['left of ||', 'right of ||'],
    because: 'the table has neither a row nor a hash that is null: the two texts are null together',
  },
  {
    file: 'verify/page-text.ts',
    code: 'text.length * WIDEST <= ROOM',
    kinds: ['never', 'always', '<= to <'],
    because:
      'a text is measured that need not be; a page that has no room is read row by row, with the same word',
  },
  {
    file: 'verify/page-source.ts',
    code: 'db.pragma(`cache_size=-${CACHE_KIB}`)',
    kinds: ['skipped'],
    because: 'only how fast it reads depends on the cache',
  },
  {
    file: 'verify/page-source.ts',
    code: 'page.rows?.at(-1)?.leaf ?? reader.storedLeaf(page.last)',
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
    file: 'verify/walk.ts',
    code: "file.db.pragma('shrink_memory')",
    kinds: ['skipped'],
    because: 'only the memory of a connection that is not read from any more differs',
  },
  {
    file: 'verify/walk.ts',
    code: 'entered === undefined',
    kinds: ['never'],
    because: 'nothing is found before the first file was entered: the type alone asks',
  },
];
