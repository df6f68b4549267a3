import type { RawPage } from '../../src/protocol/index.js';
import type { RangeVerdict, Shown, Walk } from './chain.js';
import type { HeadQuestion, HeadVerdict } from './checkpoint.js';

/** The questions of the page to its worker. A walk is begun, and then fed. */
export type Question =
  | { readonly ask: 'head'; readonly head: HeadQuestion }
  | {
      readonly ask: 'range';
      readonly page: RawPage;
      readonly first: number;
      readonly shown: readonly Shown[];
    }
  | {
      readonly ask: 'leaf';
      readonly proof: string;
      readonly leaf: string;
      readonly seq: number;
      readonly key: string;
      readonly ledger: string;
    }
  | { readonly ask: 'begin'; readonly size: number; readonly root: string }
  | { readonly ask: 'take'; readonly walk: number; readonly page: RawPage };

/** The answer to each. */
export interface AnswerOf {
  readonly head: HeadVerdict;
  readonly range: RangeVerdict;
  readonly leaf: HeadVerdict;
  /** The number of the walk: each page of it names it. */
  readonly begin: number;
  /** Null where another walk has begun since. */
  readonly take: Walk | null;
}

/** One question on its way, and its answer. */
export interface Asked {
  readonly id: number;
  readonly question: Question;
}

export type Answered =
  | { readonly id: number; readonly answer: AnswerOf[Question['ask']] }
  | { readonly id: number; readonly failed: string };
