import type { JsonObject, PolicyRef } from '@subluminal/core-types';

/** A policy reference as JSON. */
export function policyData({ policy_id, policy_version, policy_hash }: PolicyRef): JsonObject {
  return { policy_hash, policy_id, policy_version };
}
