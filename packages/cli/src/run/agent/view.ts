import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename } from 'node:path';
import { httpRunToken, type Ticket } from '@subluminal/core-types';
import { type AgentView, worldIdentity } from '@subluminal/worlds';
import { launcherText } from '../../home/launcher.js';
import type { Call } from '../../program/call.js';
import { claudeHome } from './claude.js';
import type { ClientHome } from './client-home.js';
import { codexHome } from './codex.js';
import { clientProgram, ownPrograms } from './program.js';

/** The flags by which the operator has a world show more. */
export interface AgentFlags {
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly pass: readonly string[];
}

/** An agent that is to live in a world. */
export interface WorldAgent {
  readonly view: AgentView;
  readonly command: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  /** Remarks for the person who starts it. */
  readonly notes: readonly string[];
  /** The client whose own sandbox is off; undefined for a program that has none. */
  readonly sandboxOff: 'claude' | 'codex' | undefined;
}

/** Prepares the world of a run's command. Errors: those of the client's own files, and `usage`. */
export function worldAgent(
  call: Call,
  ticket: Ticket,
  [program, ...args]: readonly [string, ...string[]],
  flags: AgentFlags,
): WorldAgent {
  const { environment, cwd, program: sub } = call.session;
  const { all } = environment;
  const home = call.home.home;
  const client = clientOf(program);
  const homes = { outside: homedir(), inside: worldIdentity().user.home, project: cwd };
  const own =
    client === undefined
      ? undefined
      : client === 'claude'
        ? claudeHome(homes, all, flags.pass)
        : codexHome(homes, all, flags.pass, args);
  const found = client === undefined ? undefined : clientProgram(program, all['PATH'] ?? '', cwd);
  return {
    view: {
      ticket: JSON.stringify(ticket),
      launcher: launcherText(process.execPath, sub),
      programs: [...ownPrograms(sub, process.execPath), ...(found?.shown ?? []), ...(own?.shown ?? [])],
      folders: own?.folders ?? [],
      files: own?.files ?? [],
    },
    command: [found?.command ?? program, ...(own?.words ?? []), ...args],
    env: { SUB_HOME: home, SUB_HTTP_TOKEN: httpRunToken(ticket.credential), ...own?.env },
    notes: own === undefined ? [] : notesOf(client ?? '', own, flags),
    sandboxOff: client,
  };
}

/** The client that a command is. A label says less: what is added to its words is for that program alone. */
function clientOf(program: string): 'claude' | 'codex' | undefined {
  const name = basename(program).replace(/\.[cm]?js$/, '');
  return name === 'claude' || name === 'codex' ? name : undefined;
}

function notesOf(client: string, own: ClientHome, { read, write }: AgentFlags): readonly string[] {
  const shown = [...read, ...write];
  const logins = own.logins.filter((path) => existsSync(path) && !shown.includes(path));
  return [
    ...logins.map(
      (path) => `${client} goes into the world without its login: \`--write ${path}\` takes it along`,
    ),
    ...(own.leftOut.length === 0
      ? []
      : [`left outside: ${own.leftOut.slice(0, 8).join(', ')}; \`--pass NAME\` takes a variable along`]),
    ...(own.hadSandbox ? [`${client}’s own sandbox is off: the world stands in its place`] : []),
  ];
}
