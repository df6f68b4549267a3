import type { DropReason, JsonObject, JsonValue } from '@subluminal/core-types';

/** A JSON-RPC id: `key` tells ids apart (`"1"` is not `1`, but `1.0` is), `text` is its JSON. */
export interface MessageId {
  readonly key: string;
  readonly text: string;
}

/** The content of a request: its params, or the scanner's view of params that are too large or too deep. */
export type Params =
  | { readonly inspected: true; readonly value: JsonObject | undefined }
  | {
      readonly inspected: false;
      /** `params.name`, if it is a text of bearable length. */
      readonly name: string | undefined;
      /** Whether `params.arguments` is there, and an object. */
      readonly argumentsAre: 'absent' | 'object' | 'other';
      /** The keys of `params.arguments`, where all were seen. */
      readonly argumentKeys: readonly string[] | undefined;
      /** The keys of `params`, where all were seen. */
      readonly keys: readonly string[] | undefined;
    };

/** How a request was answered; `value` is undefined where it was not inspected. */
export type Outcome =
  | {
      readonly kind: 'result';
      readonly value: JsonValue | undefined;
      /** For a result that was not inspected: does it ask the client for something, or hold an error? */
      readonly asksInput: boolean;
    }
  | {
      readonly kind: 'error';
      readonly value: JsonValue | undefined;
      /** For an error that was not inspected: does it use our codes or our data? */
      readonly forged: boolean;
    };

/** One JSON-RPC message whose meaning does not depend on who reads it. */
export type Message =
  | { readonly type: 'request'; readonly id: MessageId; readonly method: string; readonly params: Params }
  | { readonly type: 'notification'; readonly method: string; readonly params: Params }
  | { readonly type: 'answer'; readonly id: MessageId; readonly outcome: Outcome };

/** A line that must not be forwarded. */
export interface Refusal {
  readonly type: 'refused';
  readonly reason: DropReason;
  /** Why, in words for the sender. */
  readonly text: string;
  /** Requests in it that can be answered with an error. */
  readonly ids: readonly MessageId[];
  /** Requests of the other side that it would have answered, so that nobody waits for them any longer. */
  readonly answers: readonly MessageId[];
  readonly method: string | undefined;
}

/** The known facts of a message that is refused. */
export interface Known {
  readonly ids?: readonly MessageId[];
  readonly answers?: readonly MessageId[];
  readonly method?: string | undefined;
}

/** Makes a refusal. */
export function refuse(reason: DropReason, text: string, known: Known = {}): Refusal {
  const { ids = [], answers = [], method } = known;
  return { type: 'refused', reason, text, ids, answers, method };
}
