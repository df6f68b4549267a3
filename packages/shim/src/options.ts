import type { Readable, Writable } from 'node:stream';
import type { HomePaths } from '@subluminal/ipc';
import type { SessionLimits } from '@subluminal/mcp';

export interface ShimOptions {
  /**
   * The paths of `--home`, or of `defaultHome()`; never of an environment variable (ARCHITECTURE.md, "Keys,
   * credentials, runs").
   */
  readonly paths: HomePaths;
  /** The server's name, as the client's config calls it. */
  readonly serverName: string;
  /** The MCP server: program and arguments. */
  readonly command: readonly [string, ...string[]];
  /** Absolute path of the gateway's program, to start one when none runs; undefined: do not start one. */
  readonly gatewayEntry: string | undefined;
  /** Read for labels; the server gets the safe part of it. */
  readonly env: NodeJS.ProcessEnv;
  /** Names of further variables that the server gets; `*`: all. */
  readonly pass?: readonly string[];
  /** The server lives in a world, and sees this besides the system and its project. */
  readonly world?: { readonly read: readonly string[]; readonly write: readonly string[] };
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** One line for the operator, without its line feed. */
  readonly log: (line: string) => void;
  readonly limits?: Partial<SessionLimits>;
}
