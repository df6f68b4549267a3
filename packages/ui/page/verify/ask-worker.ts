import type { AnswerOf, Answered, Question } from './asked.js';

/** Asks the worker, and resolves to its answer. */
export type AskWorker = <Q extends Question>(question: Q) => Promise<AnswerOf[Q['ask']]>;

const SCRIPT = '/ui/verify.js';

/**
 * Starts the worker that verifies. Where the browser has Trusted Types, the one policy of the page lets
 * exactly its address through, and no other text anywhere.
 */
export function startWorker(window: Window): AskWorker {
  const worker = new Worker(scriptUrl(window), { type: 'module', name: 'verify' });
  const open = new Map<number, { resolve: (answer: never) => void; reject: (error: Error) => void }>();
  let last = 0;
  let failed: Error | null = null;
  worker.addEventListener('message', ({ data }: MessageEvent<Answered>) => {
    const waiting = open.get(data.id);
    open.delete(data.id);
    if ('failed' in data) waiting?.reject(new Error(data.failed));
    else waiting?.resolve(data.answer as never);
  });
  worker.addEventListener('error', () => {
    failed = new Error('the worker that verifies does not run');
    for (const { reject } of open.values()) reject(failed);
    open.clear();
  });
  return (question) =>
    new Promise((resolve, reject) => {
      // One that has ended answers nothing any more.
      if (failed !== null) {
        reject(failed);
        return;
      }
      last += 1;
      open.set(last, { resolve, reject });
      worker.postMessage({ id: last, question });
    });
}

/** `TrustedScriptURL` where there are such; the types of the DOM know them as text. */
function scriptUrl(window: object): string {
  const types: unknown = Reflect.get(window, 'trustedTypes');
  if (typeof types !== 'object' || types === null) return SCRIPT;
  const policy: { createScriptURL(text: string): string } = Reflect.get(types, 'createPolicy').call(
    types,
    'subl',
    {
      createScriptURL: (text: string) => {
        if (text !== SCRIPT) throw new TypeError('no other script is started');
        return text;
      },
    },
  );
  return policy.createScriptURL(SCRIPT);
}
