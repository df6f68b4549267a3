import type { JsonObject } from '@subluminal/core-types';
import type { GatewayFrame } from '../protocol/socket.js';
import type { FeedStart } from './feed.js';

/** A question to the reader. The answer is JSON text. */
export type Question =
  | {
      readonly ask: 'records';
      readonly filter: string;
      readonly before: number | null;
      readonly after: number | null;
      readonly limit: number;
    }
  | { readonly ask: 'record'; readonly seq: number }
  | { readonly ask: 'histogram'; readonly from: number; readonly to: number; readonly buckets: number }
  | { readonly ask: 'at'; readonly ts: number }
  | { readonly ask: 'raw'; readonly from: number; readonly to: number }
  /** The agents of the newest runs: to count what these did costs far more. */
  | { readonly ask: 'agents' }
  | { readonly ask: 'runs'; readonly before: number | null; readonly limit: number }
  | {
      readonly ask: 'run';
      readonly run: string;
      readonly after: number;
      /** Deeds that went on when they were read. */
      readonly again: readonly number[];
    }
  | { readonly ask: 'places'; readonly run: string }
  | { readonly ask: 'cards'; readonly approvals: JsonObject; readonly tools: JsonObject }
  | { readonly ask: 'hints' }
  | { readonly ask: 'policy'; readonly policy: JsonObject }
  | { readonly ask: 'compare'; readonly old: string; readonly new: string }
  /** The policy file, against the policy of this hash. */
  | { readonly ask: 'file'; readonly current: string }
  | { readonly ask: 'health'; readonly status: JsonObject }
  | { readonly ask: 'head'; readonly older: string | null }
  /** Whether any run was in a world: JSON `true` or `false`. */
  | { readonly ask: 'worlds' }
  | { readonly ask: 'proof'; readonly seq: number }
  /** Which of these runs the ledger knows: JSON list of ids. */
  | { readonly ask: 'known'; readonly runs: readonly string[] };

/** Messages of the gateway's thread to the reader's. */
export type ToReader =
  | { readonly to: 'ask'; readonly id: number; readonly question: Question; readonly head: number }
  | { readonly to: 'head'; readonly head: number }
  | { readonly to: 'feed'; readonly feed: number; readonly start: FeedStart; readonly head: number }
  | { readonly to: 'ack'; readonly feed: number; readonly n: number }
  | { readonly to: 'pause'; readonly feed: number }
  | { readonly to: 'resume'; readonly feed: number; readonly from: number | null }
  | { readonly to: 'close'; readonly feed: number };

/** Messages that come back. `frame`: a `GatewayFrame` as text. `ms`: how long it took to find. */
export type FromReader =
  | { readonly from: 'answer'; readonly id: number; readonly ms: number; readonly text: string }
  | {
      readonly from: 'failed';
      readonly id: number;
      readonly ms: number;
      readonly code: string;
      readonly message: string;
      readonly help: string | undefined;
    }
  | {
      readonly from: 'frame';
      readonly feed: number;
      readonly kind: GatewayFrame['t'];
      readonly frame: string;
    };

/** The beginning of the reader's thread. */
export interface ReaderStart {
  readonly ledgerDb: string;
  readonly policyFile: string;
}
