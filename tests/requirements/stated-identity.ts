import type { SublEvent } from '@subluminal/core-types';
import { expect } from 'vitest';

/** The variables of a GitHub job. */
export const CI_JOB = {
  GITHUB_ACTIONS: 'true',
  GITHUB_RUN_ID: '77',
  GITHUB_REPOSITORY: 'acme/app',
  GITHUB_REF_NAME: 'main',
} as const;

/** The variables of a Kubernetes pod. */
export const POD = {
  KUBERNETES_SERVICE_HOST: '10.0.0.1',
  POD_NAME: 'fixer-1',
  POD_NAMESPACE: 'agents',
  POD_SERVICE_ACCOUNT: 'fixer',
} as const;

/** Expects these fields in every event of a run, and that the run has events. */
export function expectInEach(events: readonly SublEvent[], fields: Readonly<Record<string, unknown>>): void {
  expect(events.length).toBeGreaterThan(0);
  for (const event of events) expect(event).toMatchObject(fields);
}
