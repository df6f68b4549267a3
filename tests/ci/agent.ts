import { fileURLToPath } from 'node:url';
import { shimCommand } from '../harness/sub.js';
import { programOf } from '../support/programs.js';

const AGENT = fileURLToPath(new URL('fixtures/agent.mjs', import.meta.url));
const SERVER = programOf('ci-server');

/** One call of a scripted agent, `times` times. */
export interface Step {
  readonly tool: string;
  readonly args?: object;
  readonly times?: number;
}

export interface AgentOptions {
  /** The exit code. */
  readonly exit?: number;
  /** It begins with its calls only when this file is there. */
  readonly wait?: string;
  /** It makes this file when it has listed the tools. */
  readonly ready?: string;
  /** Where it writes how long each call took. */
  readonly latencies?: string;
  readonly quiet?: boolean;
  /** The server behind its shim; a small real one unless given. */
  readonly server?: readonly string[];
}

/** The command line of an agent that makes these calls through a shim on `home`, whatever it is answered. */
export function agentCommand(home: string, steps: readonly Step[], options: AgentOptions = {}): string[] {
  const { server = [process.execPath, SERVER], ...rest } = options;
  const script = { ...rest, server: shimCommand(home, 'small', server), steps };
  return [process.execPath, AGENT, JSON.stringify(script)];
}

/** The events that a text of JSON lines holds. */
export function eventsOf(text: string): Record<string, unknown>[] {
  const lines = text.split('\n');
  if (lines.pop() !== '') throw new Error('the text does not end with a whole line');
  return lines.map((line): Record<string, unknown> => JSON.parse(line));
}
