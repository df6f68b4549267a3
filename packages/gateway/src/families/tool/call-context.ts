import { canonicalize, type JsonObject, redact } from '@subluminal/core-types';

/** The longest canonical text of it all that an entry keeps. */
const MAX_CONTEXT = 4096;

/**
 * The words of a client about its call besides the arguments, as entries keep them: none when they are large,
 * and no member that looks like a credential. `context_dropped` where something is missing.
 */
export function contextFields(context: JsonObject): JsonObject {
  if (canonicalize(context).length > MAX_CONTEXT) return { context_dropped: true };
  const all = Object.entries(context);
  const kept = all.filter((member) => redact(canonicalize(Object.fromEntries([member]))).count === 0);
  return {
    ...(kept.length === 0 ? {} : { context: Object.fromEntries(kept) }),
    ...(kept.length === all.length ? {} : { context_dropped: true }),
  };
}
