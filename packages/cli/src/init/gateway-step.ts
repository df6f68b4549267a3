import { numberAt, textAt } from '@subluminal/core-types';
import { askOperator } from '../gateway/door.js';
import { ensureGateway } from '../gateway/start.js';
import { createHome } from '../home/create.js';
import { escapeText } from '../output/escape.js';
import type { Call } from '../program/call.js';
import type { Asking } from './asking.js';
import type { Found } from './found.js';
import { skipped, type Step } from './step.js';

/** Starts the gateway if none runs. */
export async function gatewayStep(call: Call, found: Found, asking: Asking): Promise<Step> {
  if (found.status === undefined && !(await asking.agrees('Start the gateway?'))) return skipped('gateway');
  createHome(call);
  const started = await ensureGateway(call, 'asked');
  const status = await askOperator(call.home, call.session.now, 'gateway.status');
  const pid = numberAt(status, 'pid') ?? null;
  const remark = textAt(status, 'policy', 'remark') || textAt(status, 'policy', 'error', 'message');
  return {
    step: 'gateway',
    outcome: started ? 'done' : 'already',
    says: [
      `${started ? 'is up' : 'was up already'} (pid ${pid ?? 'unknown'})`,
      ...(remark === '' ? [] : [escapeText(remark)]),
    ],
    facts: { pid },
  };
}
