import { isSublError, SublError, type AdapterAction, type GatewayConfig } from '@subluminal/core-types';
import { errorText, type Logger } from '../base/logger.js';
import type { Panic } from '../panic/panic.js';
import type { Allowlist } from '../allowlist/allowlist.js';
import type { ServiceRegistry } from '../families/service/registry.js';
import type { ServiceOutcome } from '../families/service/service-adapter.js';
import type { ActionHandlers } from './handlers.js';
import type { DecidedDestination, PipelineCall } from './call.js';
import type { Outcome } from './reply.js';
import { refuse, refuseFor } from './reply.js';
import type { Stage, StageResult } from './stage.js';
import { panicked } from './stopped.js';

/** What the stage executes with. */
export interface ExecuteParts {
  readonly handlers: ActionHandlers;
  readonly services: ServiceRegistry;
  readonly allowlist: Allowlist;
  readonly panic: Pick<Panic, 'current'>;
  readonly log: Logger;
  readonly egress: () => Pick<GatewayConfig['egress'], 'max_response_bytes'>;
}

/** How often a request may be decided again before it is told to come back. */
const MAX_RESTARTS = 3;

/**
 * Stage 7: what was decided is done, exactly as it was decided. Only a failure of an action that has no result entry
 * ends the road here; other failures are outcomes that the last stage records.
 */
export function executeStage(parts: ExecuteParts): Stage {
  return {
    name: 'execute',
    run(call) {
      const { action, definition } = call.read;
      if (definition.family === 'service') return serve(parts, call, action as AdapterAction);
      if (action === 'net.connect' || action === 'http.reach') {
        if (parts.panic.current !== undefined) return panicked();
        if (call.decided?.generation !== parts.allowlist.generation) return decideAgain(call);
      }
      try {
        const given = parts.handlers.of(action).execute(call);
        // Awaiting a plain value would cost every call a turn of the event loop's queue.
        if (given instanceof Promise)
          return given.then(
            (outcome) => finished(call, outcome),
            (error: unknown) => failed(call, error),
          );
        return finished(call, given);
      } catch (error) {
        return failed(call, error);
      }
    },
  };
}

async function serve(parts: ExecuteParts, call: PipelineCall, action: AdapterAction): Promise<StageResult> {
  const { decided } = call;
  // Stopped while the entry was written: a run has ended by now, and what the operator asked for is refused here.
  if (parts.panic.current !== undefined) return panicked();
  if (decided?.generation !== parts.allowlist.generation) return decideAgain(call);
  call.service = await callService(parts, call, decided, action);
  return 'pass';
}

function finished(call: PipelineCall, outcome: Outcome): StageResult {
  call.outcome = outcome;
  return 'pass';
}

function failed(call: PipelineCall, error: unknown): StageResult {
  if (!isSublError(error)) throw error;
  if (call.read.definition.family !== 'operate') return refuseFor(error);
  return finished(call, failure(error));
}

/** The allowlist changed while the entry was written: what it says now decides. */
function decideAgain(call: PipelineCall): StageResult {
  call.restarts += 1;
  if (call.restarts > MAX_RESTARTS) return refuse('overloaded', 'the allowlist keeps changing');
  return 'again';
}

async function callService(
  parts: ExecuteParts,
  call: PipelineCall,
  decided: DecidedDestination,
  action: AdapterAction,
): Promise<ServiceOutcome> {
  try {
    return await parts.services.adapterFor(action).execute({
      payload: call.read.payload,
      runId: call.runId,
      requestId: call.requestId,
      redirectedFrom: call.redirectedFrom,
      accountName: call.accountName,
      destination: decided.destination,
      signal: call.signal,
      limits: { timeoutMs: decided.leftMs, maxResponseBytes: parts.egress().max_response_bytes },
    });
  } catch (error) {
    // An adapter throws only for its own mistakes; whether it had an effect is not known.
    parts.log.error('an adapter threw', { action, error: errorText(error) });
    const code = isSublError(error) ? error.code : 'adapter_failed';
    const message = isSublError(error) ? error.message : 'the adapter failed';
    return { kind: 'error', code, message };
  }
}

function failure(error: SublError): Outcome {
  const { code, message } = error;
  return { status: 'error', error: { code, message, ...helpOf(error) } };
}

function helpOf(error: SublError): { help?: string } {
  return error.help === undefined ? {} : { help: error.help };
}
