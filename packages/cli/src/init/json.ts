import type { JsonObject } from '@subluminal/core-types';
import type { Found } from './found.js';
import { changedBy } from './report.js';
import { isWell, type Step } from './step.js';

/** The plan for programs; the names are in docs/cli.md. */
export function planJson({ clients, absent, hasPolicy, status }: Found): JsonObject {
  return {
    dry_run: true,
    clients: clients.map(({ client, files, hooks, outcome }) => ({
      client: client.name,
      servers: files.flatMap(({ planned }) =>
        planned.map(({ entry, becomes, why }) => ({ name: entry.name, becomes, why: why ?? null })),
      ),
      unroutable: outcome.unroutable.map(({ name, reason }) => ({ name, reason })),
      hooks: hooks?.coverage.state ?? null,
      problems: [outcome.problem, hooks?.problem, ...files.map(({ problem }) => problem)].flatMap((one) =>
        one === undefined ? [] : [one.message],
      ),
    })),
    absent: absent.map(({ name }) => name),
    policy: hasPolicy,
    gateway: status !== undefined,
  };
}

/** The steps that were taken, for programs. */
export function stepsJson(steps: readonly Step[]): JsonObject {
  return {
    dry_run: false,
    changed: changedBy(steps).length > 0,
    ok: steps.every(isWell),
    steps: steps.map(({ step, outcome, facts = {}, problems = [] }) => ({
      step,
      outcome,
      ...facts,
      problems: problems.map(({ code, message, help }) => ({ code, message, help: help ?? null })),
    })),
  };
}
