import type { JsonObject } from '@subluminal/core-types';
import type { PolicyProblem } from '@subluminal/policy';
import { signatureData } from './entries.js';
import type { PolicyHolder } from './holder.js';
import { policyData } from './policy-data.js';

/** The policy in a few facts; `error` says why the file is not what decides. */
export function policySummary(holder: PolicyHolder): JsonObject {
  const { current, failure } = holder;
  return {
    ...policyData(current.ref),
    mode: current.snapshot.mode,
    source: current.source,
    accept: holder.accept,
    signature: current.signature === null ? null : signatureData(current.signature),
    loaded_at: new Date(current.loadedMs).toISOString(),
    warnings: current.warnings.map(problemData),
    remark: holder.remark ?? null,
    error:
      failure === undefined
        ? null
        : {
            code: failure.code,
            message: failure.message,
            help: failure.help ?? null,
            at: new Date(failure.atMs).toISOString(),
            problems: failure.problems.map(problemData),
          },
  };
}

function problemData(problem: PolicyProblem): JsonObject {
  const { severity, code, message, line, column, path, help } = problem;
  return { severity, code, message, line, column, path, ...(help === undefined ? {} : { help }) };
}
