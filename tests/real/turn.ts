import { bundle, deny } from '../gateway/policy-bundle.js';

/** What is refused in these tests, and in which words. */
export const REFUSAL = 'agents write no files here';
export const HINT = 'add the numbers yourself and say so';

const only = (server: string, name: string) => ({
  server_name: { glob: [server] },
  tool_name: { glob: [name] },
});

/** `files.write_file` is refused, `everything.get-sum` with a hint; all else is allowed. */
export const POLICY = bundle(
  [
    deny('no-writes', only('files', 'write_file'), { message: REFUSAL }),
    deny('no-sums', only('everything', 'get-sum'), { message: 'no sums', hint_text: HINT }),
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

const everything = (tool: string, input: object) => ({ calls: [{ server: 'everything', tool, input }] });

/**
 * A turn in which nothing is refused: content of every kind, failures, progress, and what a server asks back.
 */
export const HARMLESS_TURN = [
  everything('echo', { message: 'grüße, 世界, "quotes", \\ and \u{1f600}' }),
  everything('get-structured-content', { location: 'Chicago' }),
  everything('get-tiny-image', {}),
  everything('get-annotated-message', { messageType: 'error', includeImage: true }),
  everything('get-resource-links', { count: 2 }),
  everything('trigger-long-running-operation', { duration: 0.2, steps: 2 }),
  everything('trigger-elicitation-request', {}),
  everything('echo', { wrong: true }),
  { calls: [{ server: 'files', tool: 'read_text_file', input: { path: 'missing.txt' } }] },
] as const;

/** A turn in which a call takes longer than the test. */
export const LONG_TURN = [everything('trigger-long-running-operation', { duration: 60, steps: 60 })] as const;

/** Of a server that speaks only 2026-07-28, and asks back by `input_required`. */
export const MODERN_TURN = [
  { calls: [{ server: 'modern', tool: 'add', input: { a: 1.5, b: 1e21 } }] },
  { calls: [{ server: 'modern', tool: 'fail', input: {} }] },
  { calls: [{ server: 'modern', tool: 'deploy', input: { env: 'staging' } }] },
] as const;
