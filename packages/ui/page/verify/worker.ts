import type { AnswerOf, Answered, Asked, Question } from './asked.js';
import { judgeRange, WholeRecord } from './chain.js';
import { judgeHead, judgeLeaf } from './checkpoint.js';

/** Hashes and verifies beside the page, so that the page stays smooth. It asks nobody anything. */
function serve(): void {
  let walk: WholeRecord | null = null;
  const answer = (question: Question): Promise<AnswerOf[Question['ask']]> | null => {
    switch (question.ask) {
      case 'head':
        return judgeHead(question.head);
      case 'range':
        return judgeRange(question.page, question.first, null);
      case 'leaf':
        return judgeLeaf(question.proof, question.leaf, question.seq, question.key, question.ledger);
      case 'begin':
        walk = new WholeRecord(question.size, question.root);
        return null;
      case 'take':
        if (walk === null) throw new Error('no walk has begun');
        return walk.take(question.page);
    }
  };
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
