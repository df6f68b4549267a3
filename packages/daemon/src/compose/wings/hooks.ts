import {
  type Clock,
  type InnerAsker,
  type InnerSession,
  type KeyRing,
  type Logger,
  type Recorder,
  RefusedPeers,
  type Settings,
  type Wing,
} from '@subluminal/gateway';
import {
  type HookActions,
  hookActions,
  HookServing,
  type HookServingParts,
  isBelowClient,
} from '@subluminal/hooks-door';

/** The parts that the door of hooks is wired from. */
export interface HooksFoundation {
  readonly keys: KeyRing;
  readonly settings: Pick<Settings, 'now'>;
  readonly callerOf: HookServingParts['callerOf'];
  readonly openSession: (asker: InnerAsker, onEnd: () => void) => InnerSession | undefined;
  readonly isStopped: () => boolean;
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Where the hooks of clients are answered. It has no port of its own. */
export interface ComposedHooks extends Wing {
  readonly actions: HookActions;
  readonly serving: HookServing;
}

export function composeHooks(from: HooksFoundation): ComposedHooks {
  const { callerOf, clock, isStopped, keys, log, openSession, recorder, settings } = from;
  const serving = new HookServing({
    ledgerId: keys.ledgerId,
    callerOf,
    openSession,
    isStopped,
    refused: new RefusedPeers(recorder, clock),
    tellsProcesses: process.platform === 'linux',
    speaks: (caller) => !isBelowClient(caller),
    maxInspectBytes: () => settings.now.inspect.max_inspect_bytes,
    tellsTerminal: () => settings.now.approvals.notify !== false,
    clock,
    monotonic: () => performance.now(),
    log,
  });
  return {
    name: 'hooks',
    actions: hookActions(),
    serving,
    status: () => serving.status(),
    start: () => Promise.resolve(),
    stop: () => serving.stop(),
  };
}
