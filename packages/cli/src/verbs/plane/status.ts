import { type JsonObject, textAt, textsAt } from '@subluminal/core-types';
import type { Command } from 'commander';
import { escapeText } from '../../output/escape.js';
import { ago } from '../../output/time.js';
import { agentsIn, livePlane, modeIn } from '../../plane/live-plane.js';
import { coverageText, planeCoverage } from '../../plane/coverage.js';
import { planeTroubles } from '../../plane/troubles.js';
import { EXIT } from '../../program/exit/codes.js';
import { subVerb, type Does } from '../../program/verb.js';

const TIERS = ['low', 'ordinary', 'protected'] as const;

/** `sub plane status`: modes, what of each client is seen, and the agents that are followed. */
export function defineStatus(group: Command, does: Does): void {
  does(subVerb(group, 'status', 'say what the plane sees of agents, and what it does'), {}, async (call) => {
    const { output } = call;
    const plane = await livePlane(call);
    const coverage = planeCoverage();
    if (output.json) {
      const clients = coverage.map(({ client, off, takesContext }) => ({
        client,
        signals_off: [...off],
        takes_context: takesContext,
      }));
      output.value({ running: plane !== undefined, ...plane, clients });
      return EXIT.done;
    }
    if (plane === undefined) output.line('no gateway runs, so nobody is followed');
    else output.lines([...modeLines(plane), ...agentLines(plane, call.session.now())]);
    output.lines(coverage.map((one) => `${one.name}: ${coverageText(one)}`));
    return EXIT.done;
  });
}

function modeLines(plane: JsonObject): readonly string[] {
  const modes = TIERS.map((tier) => `${tier} ${modeIn(plane, tier)}`).join(', ');
  return [
    `modes: ${escapeText(modes)}`,
    ...formLines(plane),
    ...planeTroubles(plane).flatMap(({ help, message }) => [escapeText(message), `  ${escapeText(help)}`]),
  ];
}

function formLines(plane: JsonObject): readonly string[] {
  const tool = textAt(plane, 'form', 'tool');
  const fields = textsAt(plane, 'form', 'fields').join(', ');
  return tool === '' ? [] : [escapeText(`form: ${tool} with ${fields} is a checkpoint`)];
}

function agentLines(plane: JsonObject, now: number): readonly string[] {
  const agents = agentsIn(plane);
  if (agents.length === 0) return ['no agent has been seen since the gateway started'];
  return agents.map((one) => {
    const [session, agent] = [textAt(one, 'session'), textAt(one, 'agent')];
    const checkpoint = textAt(one, 'window', 'checkpoint');
    const parts = [
      `${textAt(one, 'client') === 'run' ? 'run' : 'session'} ${session}${agent === '' ? '' : `, subagent ${agent}`}:`,
      `window ${textAt(one, 'window', 'number')} (${textAt(one, 'window', 'tier')}),`,
      `${textAt(one, 'window', 'actions')} calls,`,
      checkpoint === '' ? 'no checkpoint,' : `checkpoint ${checkpoint},`,
      `seen ${ago(Date.parse(textAt(one, 'seen_at')), now)}${one['held_out'] === true ? ', in the hold-out' : ''}${one['role'] === 'director' ? ', director' : ''}`,
    ];
    return escapeText(parts.join(' '));
  });
}
