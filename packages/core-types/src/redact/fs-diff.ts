import type { JsonObject } from '../json/value.js';
import type { FsDiff } from '../schema/payloads/fs-diff.js';
import { type FindValues, NO_VALUES } from './mask.js';
import { redact } from './redact.js';

/** A diff for the record: names of files may hold what looks like a credential. */
export function redactFsDiff(diff: FsDiff, values: FindValues = NO_VALUES): JsonObject {
  const { added, deleted, modified, paths, truncated } = diff;
  return {
    added,
    deleted,
    modified,
    paths: paths.map((path) => redact(path, values).text),
    ...(truncated === undefined ? {} : { truncated }),
  };
}
