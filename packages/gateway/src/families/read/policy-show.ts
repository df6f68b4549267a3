import type { JsonObject } from '@subluminal/core-types';
import type { ActionOf } from '../../pipeline/steps.js';
import type { PolicyHolder } from '../../policy/holder.js';
import { policySummary } from '../../policy/summary.js';
import { read } from './read.js';

/** `policy.show` */
export function policyShow(holder: PolicyHolder): ActionOf<'policy.show'> {
  return read(() => ({ ...policySummary(holder), bundle: bundleOf(holder) }));
}

function bundleOf(holder: PolicyHolder): JsonObject {
  // The compiled form is plain frozen data; the copy only gives it the type of JSON.
  const copy: unknown = JSON.parse(JSON.stringify(holder.current.snapshot.plain));
  return copy as JsonObject;
}
