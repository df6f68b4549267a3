import type { ToolDefinition } from '../book/definition.js';
import type { OpenList } from './pages.js';

/** How a server was started. */
export interface Command {
  readonly argvHash: string;
  readonly programHash: string | undefined;
}

/** A page to be judged, and the list that it belongs to. */
export interface Judged {
  readonly server: string;
  readonly command: Command;
  /** The client's capabilities, as a hash; empty where it has not been told. */
  readonly client: string;
  readonly page: readonly ToolDefinition[];
  readonly list: OpenList;
  /** The page ends its list. */
  readonly complete: boolean;
  /** Asks for the members of a definition that differ. Each takes a look into the database. */
  readonly detailed: boolean;
  readonly now: number;
}
