import type { ActionOf } from '../../pipeline/steps.js';
import type { RunRegistry } from '../../runs/registry.js';
import { read } from './read.js';
import { runData } from './run-read.js';

/** `runs.list`: the runs that live, the newest first. */
export function runsList(registry: RunRegistry): ActionOf<'runs.list'> {
  return read(({ limit }) => ({ runs: registry.all().slice(-limit).toReversed().map(runData) }));
}
