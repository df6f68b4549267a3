import { isSublError, type JsonValue, SublError } from '@subluminal/core-types';
import type { ClientOutcome } from '../../clients/command/import-lines.js';
import { TextProblem } from '../../text/text-problem.js';
import { hookCoverage } from '../../hooks/coverage.js';
import { counted } from '../../output/counted.js';
import { escapeText } from '../../output/escape.js';
import type { Call } from '../../program/call.js';
import type { Asking } from '../asking.js';
import { gatewayStatus, type Found } from '../found.js';
import { skipped, type Step } from '../step.js';
import { askServer, type Answered } from './ask-server.js';
import { type Launch, startable, type Startable } from './launch.js';

const AT_ONCE = 3;
const AGENT = 'sub-init';

/** Starts each of these servers once, and looks whether the hooks that were written would be heard. */
export async function tryStep(
  call: Call,
  found: Found,
  servers: readonly Startable[],
  asking: Asking,
  signal: AbortSignal,
): Promise<Step> {
  const hooks = found.clients.flatMap(({ hooks: one }) => (one === undefined ? [] : [one.coverage.client]));
  if (servers.length + hooks.length === 0)
    return { step: 'try', outcome: 'already', says: ['nothing to try'] };
  const what =
    servers.length === 0
      ? 'Look whether the hooks are heard?'
      : 'Start each server once, and ask for its list of tools?';
  if (!(await asking.agrees(what))) return skipped('try');
  const says: string[] = [];
  const facts: JsonValue[] = [];
  const problems: SublError[] = [];
  for (let at = 0; at < servers.length; at += AT_ONCE) {
    signal.throwIfAborted();
    const some = servers.slice(at, at + AT_ONCE);
    const answers = await Promise.all(some.map((one) => tried(call, one, signal)));
    for (const [index, answer] of answers.entries()) {
      const server = some[index]?.server ?? '';
      facts.push({ server, ...answer });
      const name = escapeText(server);
      if ('tools' in answer) says.push(`${name}: ${counted(answer.tools, 'tool')}`);
      else if ('cannot' in answer) says.push(`${name}: not tried, ${escapeText(answer.cannot)}`);
      else
        problems.push(
          new SublError('failed', `\`${server}\` does not answer through the gateway: ${answer.problem}`, {
            help: `mend it, and \`sub init --try\` asks again; \`sub restore ${some[index]?.client.name ?? 'all'}\` gives it back as it was`,
          }),
        );
    }
  }
  const status = await gatewayStatus(call);
  for (const client of hooks) {
    const { state, problem } = hookCoverage(client, found.where, status);
    if (problem !== undefined)
      problems.push(
        new SublError('failed', `${client.title} will not ask: ${problem}`, {
          help: '`sub hooks status` says more',
        }),
      );
    else if (state === 'installed')
      says.push(`${client.title}: its hooks are whole, and the gateway listens for them`);
  }
  return { step: 'try', outcome: 'done', says, facts: { servers: facts }, problems };
}

/** The servers that have become one of these, as their files say now. */
export function startableIn(
  { client, files }: Pick<ClientOutcome, 'client' | 'files'>,
  { where }: Found,
  become: ReadonlySet<string>,
): readonly Startable[] {
  return files.flatMap((one) => {
    const names = new Set(
      one.planned.filter(({ becomes }) => become.has(becomes)).map(({ entry }) => entry.name),
    );
    if (names.size === 0) return [];
    try {
      return startable(client, one.file, where).filter(({ server }) => names.has(server));
    } catch (error) {
      if (error instanceof TextProblem || isSublError(error)) return [];
      throw error;
    }
  });
}

/** In a run of its own, so that nothing here is taken for the agent. */
function tried(
  call: Call,
  { launch }: Startable,
  signal: AbortSignal,
): Promise<Answered | { readonly cannot: string }> {
  if ('cannot' in launch) return Promise.resolve(launch);
  return askServer(inRun(call, launch), signal);
}

function inRun({ home, session }: Call, { command, args, env, cwd }: Launch): Launch {
  const all = Object.entries({ ...session.environment.all, PWD: cwd, ...env });
  return {
    command: process.execPath,
    args: [session.program, 'run', '--agent', AGENT, '--home', home.home, '--', command, ...args],
    env: Object.fromEntries(all.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
    cwd,
  };
}
