import type { JsonObject, ToolCallBeginPayload } from '@subluminal/core-types';
import type { Held } from '@subluminal/policy';

/** The word on a tool that is about to be called. */
export interface KnownTool {
  /** It may not be called, and what its caller is told. */
  readonly held?: Held;
  /** Risk classes that its server's word adds. */
  readonly raised: readonly string[];
  /** The approved input schema, where there is one. */
  readonly inputSchema?: JsonObject | undefined;
}

/** The word on all tools of a server. */
export interface ToolFacts {
  /** The tools that may be called; null where none is held back. */
  readonly only: readonly string[] | null;
  /** Risk classes that a tool's own description adds, by its name. */
  readonly raised: Readonly<Record<string, readonly string[]>>;
}

/** Answers what is known of tools. The core asks it before each call; the wing `tools` is behind it. */
export interface KnownTools {
  /** Whether a tool is held, what its annotations and a run's call (null: none) add, its approved schema. */
  of(server: string, tool: string, call: { runId: string; payload: ToolCallBeginPayload } | null): KnownTool;
  /** The same of all tools of a server, for who decides without asking. */
  factsOf(server: string): ToolFacts;
}
