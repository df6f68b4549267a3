import type { CallVia, JsonObject, JsonValue } from '@subluminal/core-types';

/** The session of a client, and the agent in it, that an event comes from. */
export interface Source {
  readonly session: string | undefined;
  /** A subagent; undefined for the agent of the session itself. */
  readonly agentId: string | undefined;
  readonly agentType: string | undefined;
  /** The folder that it works in now. */
  readonly cwd: string | undefined;
}

/** A tool as rules name it. */
export interface ClientTool {
  /** `claude:builtin` or `codex:builtin` for tools of the client, else the MCP server's name. */
  readonly server: string;
  readonly name: string;
  /** It is of an MCP server: its message may pass the gateway as well. */
  readonly isMcp: boolean;
  /** The client says the server's name beside the tool's, and does not spell it in another way. */
  readonly saysServer: boolean;
}

/** A tool is about to be called: the client waits for the answer. */
export interface Begins {
  readonly kind: 'begins';
  readonly source: Source;
  /** The client's own id of the call. */
  readonly id: string;
  readonly tool: ClientTool;
  readonly input: JsonObject;
  readonly mode: string | undefined;
}

/** A call of a tool has ended. */
export interface Ends {
  readonly kind: 'ends';
  readonly source: Source;
  readonly event: string;
  readonly id: string;
  readonly tool: ClientTool;
  /** The arguments of the call; undefined where the client does not say. */
  readonly input: JsonObject | undefined;
  readonly status: 'OK' | 'ERROR' | 'CANCELLED';
  readonly result: JsonValue | undefined;
  readonly error: string | undefined;
}

/** Something else happened. */
export interface Happened {
  readonly kind: 'happened';
  readonly source: Source;
  readonly event: string;
  readonly facts: JsonObject;
  /** The calls that are over with it, though no end of theirs was told. */
  readonly closes: 'call' | 'nothing' | 'session' | 'turn';
  readonly id: string | undefined;
}

export type Told = Begins | Ends | Happened;

/** A text for the agent, in the answer to that event. */
export interface Context {
  readonly event: string;
  readonly text: string;
}

/** How one client speaks of its tools. */
export interface Dialect {
  readonly via: CallVia;
  /** The client makes no call before its hooks can be answered. */
  readonly waitsForHooks: boolean;
  /** Reads an event. Undefined for a text that this client does not send. Pure. */
  read(body: JsonObject): Told | undefined;
  /** The events in whose answers the agent can be told something. */
  readonly takesContext: ReadonlySet<string>;
  /** No opinion: the client goes on as it would without us. The agent reads the context, if there is one. */
  pass(context?: Context): JsonObject;
  /**
   * The call is not made, and the model reads the reason. A client that can shows `notice` to its person.
   */
  refuse(reason: string, notice?: string): JsonObject;
}
