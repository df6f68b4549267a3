import { isJsonObject, isSublError, type JsonObject, type JsonValue } from '@subluminal/core-types';
import type { Command } from 'commander';
import { machineOf } from '../../clients/command/operands.js';
import { askOperator } from '../../gateway/door.js';
import { HOOK_CLIENT_NAMES, namedHookClients } from '../../hooks/all.js';
import { type HookCoverage, hookCoverage } from '../../hooks/coverage.js';
import { blockedText } from '../../hooks/plan.js';
import { coverageText, planeCoverageOf } from '../../plane/coverage.js';
import { escapeText } from '../../output/escape.js';
import { wrapped } from '../../output/table.js';
import { ago } from '../../output/time.js';
import type { Call } from '../../program/call.js';
import { EXIT } from '../../program/exit/codes.js';
import { subVerb, type Does } from '../../program/verb.js';

/** `sub hooks status`. */
export function defineStatus(group: Command, does: Does): void {
  does(
    subVerb(group, 'status', 'say whether the hooks of clients are there, and whether they ask').argument(
      '[client]',
      HOOK_CLIENT_NAMES,
    ),
    {},
    async (call) => {
      const where = machineOf(call);
      const status = await gatewayStatus(call);
      const covered = namedHookClients(call).map((client) => hookCoverage(client, where, status));
      for (const one of covered) {
        if (call.output.json) call.output.value(coverageJson(one));
        else call.output.lines(coverageLines(one, call.session.now(), call.output.width));
      }
      return covered.every(({ problem }) => problem === undefined) ? EXIT.done : EXIT.failed;
    },
  );
}

/** Undefined where no gateway runs. */
async function gatewayStatus(call: Call): Promise<JsonObject | undefined> {
  try {
    const status = await askOperator(call.home, call.session.now, 'gateway.status');
    return isJsonObject(status) ? status : undefined;
  } catch (error) {
    if (isSublError(error)) return undefined;
    throw error;
  }
}

const STATES: Readonly<Record<HookCoverage['state'], string>> = {
  absent: 'not found on this machine',
  installed: 'hooks are installed',
  none: 'no hooks: what it does with its own tools is not seen',
  part: 'hooks are not all there',
};

function coverageLines(one: HookCoverage, now: number, width: number): readonly string[] {
  const { blockedWhenAway, client, foreign, obstacles, problem, state } = one;
  const notes = [
    ...(state === 'installed' || state === 'part'
      ? [escapeText(seenText(one, now)), ...planeTexts(one)]
      : []),
    ...(blockedWhenAway.length === 0 ? [] : [escapeText(blockedText(blockedWhenAway))]),
    ...(problem === undefined ? [] : [escapeText(problem)]),
    ...obstacles.slice(problem === undefined ? 0 : 1).map(({ path, why }) => escapeText(`${why} in ${path}`)),
    ...foreign.map(({ path, events }) => escapeText(`hooks of the project: ${path} (${events.join(', ')})`)),
    ...(state === 'none' ? [escapeText(`install them with \`sub hooks install ${client.name}\``)] : []),
  ];
  return [
    `${client.title}: ${STATES[state]}`,
    ...notes.flatMap((text) => wrapped(text, width - 2).map((line) => `  ${line}`)),
  ];
}

/** How far the plane sees the work of that client, and whether it can tell it something. */
function planeTexts({ client }: HookCoverage): readonly string[] {
  const found = planeCoverageOf(client.name);
  return found === undefined ? [] : [`of boundaries of its work: ${coverageText(found)}`];
}

function seenText({ client, events, lastEventAt }: HookCoverage, now: number): string {
  // The control server of Codex asks as a shim does, and is not told from one.
  if (client.name === 'codex') return 'the record shows what it does: `sub query --server codex:builtin`';
  if (events === undefined) return 'no gateway runs, so nobody is asked now';
  if (lastEventAt === undefined) return 'no event has come since the gateway started: start the client anew';
  return `${events} events since the gateway started, the last ${ago(Date.parse(lastEventAt), now)}`;
}

function coverageJson(one: HookCoverage): JsonObject {
  const { blockedWhenAway, client, events, files, foreign, lastEventAt, obstacles, problem, state } = one;
  const plane = planeCoverageOf(client.name);
  return {
    client: client.name,
    state,
    signals_off: [...(plane?.off ?? [])],
    takes_context: plane?.takesContext === true,
    files: [...files],
    blocked_when_away: [...blockedWhenAway],
    obstacles: obstacles.map(({ path, why }): JsonValue => ({ path, why })),
    foreign: foreign.map(({ path, events: named }): JsonValue => ({ path, events: [...named] })),
    events: events ?? null,
    last_event_at: lastEventAt ?? null,
    problem: problem ?? null,
  };
}
