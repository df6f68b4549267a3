import { SublError, type JsonObject } from '@subluminal/core-types';
import type { PolicyProblem } from '@subluminal/policy';
import { policyData } from '../tool/entries.js';
import type { ActionHandler } from '../../pipeline/handlers.js';
import { success } from '../../pipeline/reply.js';
import { signatureData } from '../../policy/entries.js';
import type { PolicyHolder } from '../../policy/holder.js';

/** Showing and reloading the policy. A reload that fails keeps the policy that is there, and says why. */
export function policyHandlers(
  holder: PolicyHolder,
): Readonly<Record<'policy.show' | 'policy.reload', ActionHandler>> {
  return {
    'policy.show': { execute: () => success({ ...policySummary(holder), bundle: bundleOf(holder) }) },
    'policy.reload': {
      execute: async () => {
        const changed = await holder.reload({ asked: true });
        const { failure } = holder;
        if (failure === undefined) return success({ ...policySummary(holder), changed });
        const help = failure.problems[0]?.help ?? failure.help;
        throw new SublError(failure.code, failure.message, help === undefined ? {} : { help });
      },
    },
  };
}

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

function bundleOf(holder: PolicyHolder): JsonObject {
  // The compiled form is plain frozen data; the copy only gives it the type of JSON.
  const copy: unknown = JSON.parse(JSON.stringify(holder.current.snapshot.plain));
  return copy as JsonObject;
}

function problemData(problem: PolicyProblem): JsonObject {
  const { severity, code, message, line, column, path, help } = problem;
  return { severity, code, message, line, column, path, ...(help === undefined ? {} : { help }) };
}
