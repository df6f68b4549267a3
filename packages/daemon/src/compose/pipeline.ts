import { approvalsActions } from '@subluminal/approvals';
import {
  type FrameDoor,
  type InnerDoor,
  type RejectionBuckets,
  Turns,
  admitStage,
  anomalyStage,
  decideStage,
  executeStage,
  openPipeline,
  pendingStage,
  resultStage,
  schemaStage,
  signatureStage,
  stoppedStage,
} from '@subluminal/gateway';
import type { HookActions } from '@subluminal/hooks-door';
import type { PlaneActions } from '@subluminal/plane-wing';
import { projectsActions } from '@subluminal/projects';
import type { HttpActions } from '@subluminal/remote';
import type { UiActions } from '@subluminal/ui';
import type { WorldActions } from '@subluminal/worlds-net';
import { composeActions } from './families.js';
import type { ActionParts } from './parts.js';
import { composeAnchors } from './wings/anchors.js';
import { composeNet } from './wings/net.js';
import { composeServices } from './wings/services.js';
import { composeTools } from './wings/tools.js';

/** Wires the one road of every request: its stages in their order, and how each action takes them. */
export function composePipeline(
  from: ActionParts & { readonly rejections: RejectionBuckets },
  listening: HookActions & HttpActions & PlaneActions & UiActions & WorldActions,
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
    actions: composeActions(from, {
      ...approvalsActions(from),
      ...composeAnchors(from),
      ...composeNet(from),
      ...projectsActions({ ...from, turns: new Turns(() => performance.now()) }),
      ...composeServices(from),
      ...composeTools(from),
      ...listening,
    }),
    ledger,
    recorder,
    late,
    rejections,
    clock,
    log,
  });
}
