import { tellingOfTools } from '@subluminal/away';
import { narrowingOf, Turns, type Wing } from '@subluminal/gateway';
import { listVerdict } from '@subluminal/policy';
import { PIN_LIMITS, TOOLS_SECTION, type ToolsActions, toolsActions } from '@subluminal/tools';
import type { ActionParts } from '../parts.js';

/** The actions on lists of tools. Shims that hold a snapshot are told of each change. */
export function composeTools(from: ActionParts): ToolsActions {
  const { away, policy, projects } = from;
  const actions = toolsActions({
    book: from.tools,
    modes: from.pinModes,
    turns: from.pinTurns,
    recorder: from.recorder,
    clock: from.clock,
    loopTurns: new Turns(() => performance.now()),
    limits: PIN_LIMITS,
    onHeld: ({ run, ...held }) => from.notifier.tell({ event: 'tool_held', run: run.id, ...held }),
    hides: (run, server, tool) =>
      [policy.current, ...narrowingOf(projects, run)].some(
        ({ snapshot }) => listVerdict(snapshot, run.identity, server, tool) === 'hide',
      ),
  });
  return {
    ...actions,
    'tools.listed': tellingOfTools(away, actions['tools.listed']),
    'tools.approve': tellingOfTools(away, actions['tools.approve']),
    'tools.forget': tellingOfTools(away, actions['tools.forget']),
  };
}

/** The part of `gateway.status` that tells how many servers' tools are known, and how many tools are held. */
export function toolsStatus({
  settings,
  tools,
}: Pick<ActionParts, 'settings' | 'tools'>): Pick<Wing, 'name' | 'status'> {
  return { name: 'tools', status: () => ({ pin: settings.of(TOOLS_SECTION).pin, ...tools.counts }) };
}
