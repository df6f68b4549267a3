import type { AnswerOf, Question } from './asked.js';
import { judgeRange, judgeShown, WholeRecord } from './chain.js';
import { judgeHead, judgeLeaf } from './checkpoint.js';

/** Answers the questions of the page. It has one walk; beginning another one ends it. */
export function answering(): (question: Question) => Promise<AnswerOf[Question['ask']]> {
  let walk: WholeRecord | null = null;
  let begun = 0;
  return async (question) => {
    switch (question.ask) {
      case 'head':
        return judgeHead(question.head);
      case 'range': {
        const verdict = await judgeRange(question.page, question.first, null);
        const broken = verdict.ok ? judgeShown(question.page, question.shown) : null;
        return broken === null ? verdict : { ok: false, broken };
      }
      case 'leaf':
        return judgeLeaf(question.proof, question.leaf, question.seq, question.key, question.ledger);
      case 'begin':
        walk = new WholeRecord(question.size, question.root);
        begun += 1;
        return begun;
      case 'take':
        return walk === null || question.walk !== begun ? null : walk.take(question.page);
    }
  };
}
