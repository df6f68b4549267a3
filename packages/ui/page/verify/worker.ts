import { answering } from './answering.js';
import type { Answered, Asked } from './asked.js';

/** Hashes and verifies beside the page, so that the page stays smooth. It asks nobody anything. */
function serve(): void {
  const answer = answering();
  const serveOne = async ({ id, question }: Asked): Promise<Answered> => {
    try {
      return { id, answer: await answer(question) };
    } catch (error) {
      return { id, failed: String(error) };
    }
  };
  addEventListener('message', (event: MessageEvent<Asked>) => {
    void serveOne(event.data).then((answered) => postMessage(answered));
  });
}

serve();
