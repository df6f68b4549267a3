import {
  admitStage,
  anomalyStage,
  decideStage,
  executeStage,
  type FrameDoor,
  type InnerDoor,
  openPipeline,
  pendingStage,
  type RejectionBuckets,
  resultStage,
  schemaStage,
  signatureStage,
  stoppedStage,
} from '@subluminal/gateway';
import type { HttpActions } from '@subluminal/remote';
import { composeActions, type FamilyParts } from './families.js';

/** Wires the one road of every request: its stages in their order, and how each action takes them. */
export function composePipeline(
  from: FamilyParts & { readonly rejections: RejectionBuckets },
  http: HttpActions,
): { readonly frames: FrameDoor; readonly inner: InnerDoor } {
  const { approvals, clock, late, ledger, log, panic, recorder, rejections, speaks } = from;
  return openPipeline({
    gates: [schemaStage(speaks), signatureStage],
    stages: [
      stoppedStage(panic),
      decideStage,
      admitStage,
      anomalyStage(approvals),
      pendingStage({ ledger, recorder, approvals }),
      executeStage,
      resultStage({ recorder, late, clock }),
    ],
    actions: composeActions(from, http),
    ledger,
    recorder,
    late,
    rejections,
    clock,
    log,
  });
}
