import type {
  CallVia,
  FindValues,
  FsDiff,
  Decision,
  DropReason,
  JsonObject,
  JsonValue,
  PolicyRef,
} from '@subluminal/core-types';

/**
 * The boundary that a call crosses: `unknown` where it is no message of MCP, and `via` tells how it was seen.
 */
export type CallTransport = 'mcp_stdio' | 'mcp_http' | 'unknown';

/** An adapter's description of a call to the core. Nothing here knows the protocol it came by. */
export interface ToolCall {
  readonly server_name: string;
  readonly tool_name: string;
  /** The arguments, or what stands in for them when they were not inspected. */
  readonly args: JsonObject | UninspectedArgs;
  /** Size of the request message. */
  readonly bytes_in: number;
  readonly transport: CallTransport;
  /** Of a call that is no MCP: how it was seen, and the folder that it is made in. */
  readonly via?: CallVia | undefined;
  readonly cwd?: string | undefined;
  /** The client's words on the call, such as its own id for it. */
  readonly call_context: JsonObject | undefined;
  /** The call that it goes on with, because its server asked for input; undefined for a call of its own. */
  readonly continues?: string | undefined;
}

/** Arguments that were too large or too deep: the hash of the message's bytes, and what could be seen. */
export class UninspectedArgs {
  readonly streamHash: string;
  readonly bytes: number;
  readonly argKeys: readonly string[] | undefined;

  constructor(streamHash: string, bytes: number, argKeys: readonly string[] | undefined) {
    this.streamHash = streamHash;
    this.bytes = bytes;
    this.argKeys = argKeys;
  }
}

/** The call may be made. `call_id` names it when it ends. */
export interface Allowed {
  readonly decision: 'ALLOW';
  readonly call_id: string;
  /** The hash of its inspected arguments; undefined where no gateway has told it. */
  readonly args_hash?: string;
  /** How long it may take, in ms, before it is given up; undefined: as long as it takes. */
  readonly timeout_ms?: number;
}

/** The call must not be made; everything that the caller is told. */
export interface Refused {
  readonly decision: Exclude<Decision['action'], 'ALLOW'>;
  readonly call_id: string;
  readonly run_id: string;
  readonly details: Decision;
  readonly policy: PolicyRef;
  readonly args_hash: string;
  /** `<seq>.<leaf>` of the ledger entry; undefined when nothing was recorded. */
  readonly audit_ref: string | undefined;
  /** The run is over: nothing more will be allowed on this session. */
  readonly ends_session: boolean;
}

export type Verdict = Allowed | Refused;

/** How an allowed call ended. */
export interface CallEnd {
  readonly status: 'OK' | 'ERROR' | 'TIMEOUT' | 'CANCELLED';
  readonly latency_ms: number;
  readonly bytes_out: number;
  readonly result_stream_hash?: string;
  /** The server asks for input, and will be called once more for the same. */
  readonly asks_input?: true;
  readonly preview: { readonly truncated: boolean; readonly result_preview?: string };
  /** The files that changed in the layer of the world of a command. */
  readonly fs_diff?: FsDiff;
  readonly error?: {
    readonly class: 'upstream_error' | 'policy_block' | 'timeout' | 'transport' | 'unknown';
    readonly message: string;
    readonly code?: string | number;
    readonly retryable?: boolean;
  };
}

/** A message that went no further. */
export interface DroppedMessage {
  readonly direction: 'to_server' | 'to_client';
  readonly reason: DropReason;
  readonly bytes: number;
  readonly method: string | undefined;
  readonly streamHash: string | undefined;
}

/** A page of a server's list of tools. */
export interface ListedPage {
  /** How often the server has announced that its list changed. */
  readonly epoch: number;
  /** The hash of the cursor that was asked with; absent for the first page. */
  readonly cursor?: string;
  /** The hash of the cursor of the next page; absent for the last one. */
  readonly next?: string;
  /** It cannot be put together with other pages. */
  readonly apart?: boolean;
  /** The hash of what the client has said that it can do; absent where it has not. */
  readonly client_hash?: string;
  readonly tools: readonly JsonValue[];
}

/** Which tools of a page, by their places, the client does not see; or why it sees none of it. */
export type ListVerdict = { readonly leaveOut: ReadonlySet<number> } | { readonly refused: string };

/** The questions that every adapter may ask of the core, whatever protocol it speaks. */
export interface Core {
  /** Finds the secrets of the server. A text is searched before it is shortened or redacted by its shape. */
  readonly values: FindValues;
  /** Decides a call. Never rejects: whatever goes wrong is a refusal. */
  decide(call: ToolCall): Promise<Verdict>;
  /** Reports the end of an allowed call; does not wait. */
  end(callId: string, end: CallEnd): void;
  /** Asks what of a list of tools may be seen. Never rejects: whatever goes wrong is a refusal. */
  listed(page: ListedPage): Promise<ListVerdict>;
  /** Reports a message that was not forwarded; does not wait. */
  dropped(message: DroppedMessage): void;
}
