import type { SublError } from '@subluminal/core-types';
import type { CallEnd, ToolCall } from './contract.js';

/** Decides what may be done while no gateway answers. */
export interface Away {
  /**
   * How long an answer is waited for while something else can be done than waiting; undefined: as long as
   * ever.
   */
  readonly patience: { readonly timeoutMs: number } | undefined;
  /**
   * The id under which a call may be made alone; undefined where it may not. `asked`: under which the gateway
   * was asked.
   */
  decide(call: ToolCall, asked: string): Promise<string | undefined>;
  /** Takes the end of a call that was decided here; false for any other. */
  end(callId: string, end: CallEnd): boolean;
}

/** Whether no answer came. A gateway that refuses is not away, and an ended run is not either. */
export function isAway({ code }: SublError): boolean {
  return code === 'gateway_unreachable' || code === 'timed_out';
}
