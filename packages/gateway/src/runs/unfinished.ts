import { joinCharges, type Charge } from '@subluminal/policy';

/** How many calls in a row may go on with each other. */
export const MAX_STEPS = 16;
/** Calls of one run that ended with a question; the oldest is forgotten first. */
const MAX_UNFINISHED = 256;
/** How long a question waits for its answer. */
const MAX_AGE_MS = 3_600_000;

/** The calls that one goes on with. */
export interface Continued {
  /** The last of them. */
  readonly callId: string;
  /** How many there are. */
  readonly step: number;
  /** The amounts that they were counted for. */
  readonly paid: Charge;
}

/** A tool call, as far as one half of it must equal the other. */
export interface ToolAction {
  readonly shimId: string;
  readonly tool: readonly [server: string, tool: string];
  readonly argsHash: string;
}

/** A call that ended with a question of its server. */
export interface AskingCall extends ToolAction {
  readonly callId: string;
  readonly charge: Charge;
  readonly continues?: Continued | undefined;
  /** Its question was taken in. */
  asksInput?: boolean;
}

interface Waiting extends ToolAction, Continued {
  readonly sinceMs: number;
}

/**
 * The calls of a run that ended because their server asked for input, and that may be gone on with: once, by
 * a call of the same shim, server, tool and arguments, within an hour, and at most 16 in a row. Both are one
 * action, which the limits that count actions count once. It forgets rather than grows, and what it has
 * forgotten is a call like any other.
 */
export class Unfinished {
  readonly #calls = new Map<string, Waiting>();

  /** Takes in that a call ended so. Its end is taken in once. */
  add(call: AskingCall, now: number): void {
    if (call.asksInput === true) return;
    call.asksInput = true;
    const { callId, shimId, tool, argsHash, charge, continues } = call;
    const paid = joinCharges(continues?.paid ?? [], charge);
    this.#keep({ callId, shimId, tool, argsHash, paid, step: (continues?.step ?? 0) + 1, sinceMs: now });
  }

  /**
   * The calls that one goes on with, which no other does from now on; undefined where there is no such call.
   */
  take(callId: string, { shimId, tool, argsHash }: ToolAction, now: number): Continued | undefined {
    const found = this.#calls.get(callId);
    if (found === undefined) return undefined;
    if (now - found.sinceMs > MAX_AGE_MS) {
      this.#calls.delete(callId);
      return undefined;
    }
    const isSame =
      found.shimId === shimId &&
      found.tool[0] === tool[0] &&
      found.tool[1] === tool[1] &&
      found.argsHash === argsHash;
    if (!isSame) return undefined;
    this.#calls.delete(callId);
    return { callId, step: found.step, paid: found.paid };
  }

  /** The call was told to come again later. That, too, is one of the times that it may. */
  putBack({ callId, step, paid }: Continued, action: ToolAction, now: number): void {
    this.#keep({ ...action, callId, paid, step: step + 1, sinceMs: now });
  }

  #keep(call: Waiting): void {
    if (call.step > MAX_STEPS) return;
    this.#calls.set(call.callId, call);
    if (this.#calls.size <= MAX_UNFINISHED) return;
    for (const oldest of this.#calls.keys()) {
      this.#calls.delete(oldest);
      return;
    }
  }
}
