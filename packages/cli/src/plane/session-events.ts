import { textAt } from '@subluminal/core-types';
import type { LedgerRow } from '@subluminal/ledger';
import { actionTold, type AgentEvent, type FormFit, lifeTold } from '@subluminal/plane';
import { EXPIRED, type SessionStep } from '@subluminal/records';

/**
 * A step of a session as the plane sees it; undefined for one that it does not look at. `formFit`: how a call
 * fits the form of a checkpoint.
 */
export function agentEventOf(
  step: SessionStep,
  formFit: (first: LedgerRow) => FormFit | undefined,
): AgentEvent | undefined {
  if (!('record' in step)) return lifeTold(step.event);
  const { decision, first, last, object } = step.record;
  // Calls whose previews have expired are not the same call.
  const target = object === null || object === EXPIRED ? undefined : object;
  const ruled = decision?.code ?? 'ALLOW';
  const [code, form] = [last?.code ?? undefined, formFit(first)];
  return actionTold(first, { target, code, isRefused: ruled !== 'ALLOW', form });
}

/** The client that a step is told by: `claude_hook`, `codex_hook`, or empty. */
export function viaOf(step: SessionStep): string {
  return 'record' in step
    ? textAt(step.record.first.data, 'call', 'via')
    : textAt(step.event.data, 'hook', 'via');
}
