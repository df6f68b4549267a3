import type { ActionOf } from '../../pipeline/steps.js';
import type { RunRegistry } from '../../runs/registry.js';
import { read } from './read.js';
import { runData } from './run-read.js';

/**
 * `runs.list`: the runs that live, the newest first. Their ids sort by time, so that pages have no gap where
 * runs end in between.
 */
export function runsList(registry: RunRegistry): ActionOf<'runs.list'> {
  return read(({ limit, before }) => {
    const runs = registry.all().filter(({ id }) => before === undefined || id < before);
    const newest = runs.toSorted((one, other) => (one.id < other.id ? 1 : -1));
    return { runs: newest.slice(0, limit).map(runData) };
  });
}
