import { bundle, deny } from '../gateway/policy-bundle.js';

/** What is refused in these tests, and in which words. */
export const REFUSAL = 'agents write no files here';
export const HINT = 'add the numbers yourself and say so';

const tool = (server: string, name: string) => ({
  server_name: { glob: [server] },
  tool_name: { glob: [name] },
});

/** `files.write_file` is refused, `everything.get-sum` with a hint; all else is allowed. */
export const POLICY = bundle(
  [
    deny('no-writes', tool('files', 'write_file'), { message: REFUSAL }),
    deny('no-sums', tool('everything', 'get-sum'), { message: 'no sums', hint_text: HINT }),
  ],
  { mode: 'control' },
);

/** A turn with an allowed call, a refused one, and one that is refused with a hint. */
export const TURN = [
  { calls: [{ server: 'files', tool: 'read_text_file', input: { path: 'note.txt' } }] },
  { calls: [{ server: 'files', tool: 'write_file', input: { path: 'new.txt', content: 'x' } }] },
  { calls: [{ server: 'everything', tool: 'get-sum', input: { a: 1, b: 2 } }] },
  { text: 'finished' },
] as const;
