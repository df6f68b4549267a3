import type { JsonObject } from '@subluminal/core-types';
import type { ActionOf } from '../../pipeline/steps.js';
import type { SecretFacts, SecretStore } from '../../secrets/store.js';
import { read } from './read.js';

/** `secrets.list`: names and use, and no value. */
export function secretsList(store: SecretStore): ActionOf<'secrets.list'> {
  return read(() => ({ secrets: store.all().map(factsData) }));
}

function factsData({ name, createdMs, changedMs, usedMs, uses }: SecretFacts): JsonObject {
  return {
    name,
    created_at: new Date(createdMs).toISOString(),
    changed_at: new Date(changedMs).toISOString(),
    used_at: usedMs === null ? null : new Date(usedMs).toISOString(),
    uses,
  };
}
