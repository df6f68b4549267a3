/** The agent clients whose configurations name MCP servers. */
export type ClientName = 'claude' | 'codex' | 'cursor' | 'vscode' | 'gemini' | 'claude-desktop';

/** The owner of a file: the user, a profile, or a project that shares it with other people. */
export type FileScope = 'user' | 'profile' | 'project';

/** Where an entry counts: as its file, or (Claude Code) in one project of one user. */
export type EntryScope = FileScope | 'local';

/** One file of a client that may name MCP servers. It need not exist. */
export interface ClientFile {
  readonly path: string;
  readonly scope: FileScope;
  /** The folder that the file is about, of a project's file. */
  readonly project?: string;
}

/** The machine that a client's files are looked for on. */
export interface Where {
  /** The user's home folder, absolute. */
  readonly userHome: string;
  /** The project's folder, absolute. */
  readonly project: string;
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The text of another file; undefined when there is none. Throws when it is there and cannot be read. */
  readonly readText: (path: string) => string | undefined;
  /** The names in a folder, empty when there is none. Throws when it is there and cannot be read. */
  readonly list: (path: string) => readonly string[];
}

/** One MCP server as a file has it. */
export interface ServerEntry {
  readonly client: ClientName;
  readonly file: ClientFile;
  readonly scope: EntryScope;
  readonly name: string;
  /** Where it stands: `['projects', '/p', 'mcpServers', 'x']`, `['mcp_servers', 'x']`. */
  readonly pointer: readonly string[];
  /** `ours`: it is routed already. `unknown`: its form is not one that can be routed; `cannot` says why. */
  readonly kind: 'stdio' | 'http' | 'sse' | 'ours' | 'unknown';
  readonly command?: string;
  readonly args?: readonly string[];
  /** The names of the variables that the entry gives its server, each once. */
  readonly envKeys: readonly string[];
  /** Those of them whose value is a secret, written out in the file. */
  readonly tokens: readonly string[];
  /** A file of variables that the client loads for this server, as the entry names it. */
  readonly envFile?: string;
  /** Of a remote server, as it stands there (variables are not expanded). */
  readonly url?: string;
  /** Of an entry that is routed already: the home that it names. */
  readonly home?: string;
  /** Why it cannot be routed: a lowercase sentence without its end. */
  readonly cannot?: string;
}

/** The entries of a file. `problem`: it cannot be read, with line and column, and is not touched. */
export interface Reading {
  readonly file: ClientFile;
  readonly text: string | undefined;
  readonly entries: readonly ServerEntry[];
  readonly problem?: string;
}

/** How entries are routed. */
export interface Routing {
  /** The absolute path of what a client starts: node, or the launcher of the home, which leads to `sub`. */
  readonly node: string;
  /** The absolute path of `sub.mjs`; undefined behind a launcher. */
  readonly program: string | undefined;
  /** The home, absolute. */
  readonly home: string;
  /** The names of variables that a server gets besides the entry's own: those of its file of variables. */
  readonly pass: (entry: ServerEntry) => readonly string[];
  /** The gateway's HTTP side; absent where remote servers are not routed. */
  readonly http?: HttpRouting;
}

/** Where the gateway listens for remote servers. */
export interface HttpRouting {
  readonly port: number;
  readonly enrolToken: string;
}

/** An entry that is to be put back, and what is known of it. */
export interface ToUnroute {
  readonly pointer: readonly string[];
  readonly back: WrittenEntry | undefined;
}

/** The outcome of putting one entry back. */
export type Unrouted =
  | { readonly how: 'exact' | 'unwrapped' }
  /**
   * Nothing was changed, and why: a lowercase sentence without its end. `gone`: there is no such entry of
   * ours.
   */
  | { readonly kept: string; readonly gone: boolean };

/** A text with entries put back, and what became of each, in their order. */
export interface UnroutedText {
  readonly text: string;
  readonly became: readonly Unrouted[];
}

/** One client: where its configurations are, how they are read, and how an entry is routed and put back. */
export interface Client {
  readonly name: ClientName;
  readonly title: string;
  /**
   * Whether the client takes a lock folder (`<file>.lock`, stale after ten seconds) when it writes this file.
   */
  readonly locks: (file: ClientFile) => boolean;
  readonly files: (where: Where) => readonly ClientFile[];
  /** Reads a text. Pure; a text that cannot be read gives a `problem`. */
  readonly read: (file: ClientFile, text: string) => Reading;
  /**
   * The text with these entries routed, every other byte as it was. Pure. The entries are those of `read`.
   */
  readonly route: (text: string, entries: readonly ServerEntry[], how: Routing) => string;
  /**
   * Tells the source text of what stands at a pointer; undefined where nothing does. The text is read once.
   * Pure. Throws `TextProblem`.
   */
  readonly sources: (text: string) => (pointer: readonly string[]) => string | undefined;
  /**
   * Entries, each of another place, put back at once: where what stands there means what we wrote, `original`
   * (source text) takes its place; where only our part of it is still as we wrote it, that part alone is
   * undone. Pure. Throws `TextProblem`.
   */
  readonly unroute: (text: string, entries: readonly ToUnroute[]) => UnroutedText;
  /**
   * The text with the values of variables and headers masked, for people to see. Pure. Throws `TextProblem`.
   */
  readonly masked: (file: ClientFile, text: string) => string;
  /**
   * Further reasons not to route entries, from what else the client reads (lists of the allowed and the
   * denied).
   */
  readonly forbids: (
    where: Where,
    readings: readonly Reading[],
  ) => (entry: ServerEntry) => string | undefined;
  /** The servers that this client starts and no file of ours names: managed servers, plugins, flags. */
  readonly unroutable: (where: Where) => readonly Unroutable[];
}

/** The source texts of an entry before and after it was routed. */
export interface WrittenEntry {
  readonly original: string;
  readonly written: string;
}

/** A server, or a kind of servers, that is not routed, and why. */
export interface Unroutable {
  readonly name: string;
  readonly reason: string;
}
