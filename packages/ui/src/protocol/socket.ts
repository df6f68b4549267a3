import type { Row } from './rows.js';
import type { State } from './state.js';

/** Frames of the page. The first is `hello`, within five seconds. */
export type PageFrame =
  | {
      readonly t: 'hello';
      readonly token: string;
      readonly filter: string;
      /** The first entry that it has not seen; null to begin with what comes next. */
      readonly from: number | null;
      /** So many `rows` may be under way without an `ack`: 1 to 64. */
      readonly credit: number;
    }
  /** The `rows` frame of that number, and all before it, are taken. */
  | { readonly t: 'ack'; readonly n: number }
  /** Nothing is sent until `resume`. */
  | { readonly t: 'pause' }
  | { readonly t: 'resume'; readonly from: number | null };

/** Frames of the gateway. */
export type GatewayFrame =
  | { readonly t: 'welcome'; readonly ledger: string; readonly head: number; readonly session: string }
  /**
   * The records that entries `from` to `upto` belong to, as they then are, if they fit the filter. `left`:
   * those that fitted before these entries, and fit no more. The next frame begins with `upto + 1`: so does
   * a `hello` after a lost connection.
   */
  | {
      readonly t: 'rows';
      readonly n: number;
      readonly from: number;
      readonly upto: number;
      readonly rows: readonly Row[];
      readonly left: readonly Row[];
    }
  /**
   * The page does not keep up, or is paused. `skipped`: entries `from` to `upto` will not be sent, and are
   * read by `API.records`; else they follow once `ack`s come.
   */
  | { readonly t: 'behind'; readonly from: number; readonly upto: number; readonly skipped: boolean }
  /** Sent when it has changed, at most once a second. */
  | { readonly t: 'state'; readonly state: State }
  /** The filter cannot be read, at that place of its text: no rows come. */
  | { readonly t: 'bad_filter'; readonly message: string; readonly at: number }
  /** The last frame. `no_session`: run `sub ui`; after any other one connect again. */
  | { readonly t: 'bye'; readonly code: ByeCode; readonly message: string };

export type ByeCode = 'no_session' | 'bad_frame' | 'no_ack' | 'too_slow' | 'restart' | 'failed';

/** Rows in one frame at most. */
export const MOST_ROWS = 500;
/** Frames without an `ack` at most. */
export const MOST_CREDIT = 64;
/** A gap of more entries is skipped, and told. */
export const MOST_GAP = 50_000;
