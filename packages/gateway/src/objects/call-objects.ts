import type { ToolCallBeginPayload } from '@subluminal/core-types';
import type { PolicySnapshot } from '@subluminal/policy';
import { type Place, placeOf, readCall, type ReadCall, type Readings } from '@subluminal/readings';
import type { JudgeParts } from '../runs/judge.js';
import type { Run } from '../runs/run.js';

import { type ResolvePath, resolved } from './resolve-paths.js';

/** The machine's side of a reading. */
export interface ObjectParts {
  readonly home: string;
  readonly tmp: string;
  /** Whether a path is there. */
  readonly exists: (path: string) => boolean;
  /** The path without links; see `resolve-paths.ts`. */
  readonly resolve: ResolvePath;
}

/** Reads the objects of a call for the policies that are in force for it. */
export function readObjects(
  { objects, policy }: { readonly objects: CallObjects } & Pick<JudgeParts, 'policy'>,
  run: Run,
  payload: ToolCallBeginPayload,
): Readings | undefined | Promise<Readings> {
  const { snapshot } = policy.current;
  const own = run.policy?.snapshot;
  return objects.of(run, payload, own === undefined ? [snapshot] : [snapshot, own]);
}

/**
 * Reads the objects of calls before rules are asked: from the arguments at once, and then once more as the
 * file system has their paths, where a call names any. Nothing is read for a policy that asks for none.
 */
export class CallObjects {
  readonly #parts: ObjectParts;
  /** Where the files of a run lie is looked up once. */
  readonly #places = new WeakMap<Run, Place>();

  constructor(parts: ObjectParts) {
    this.#parts = parts;
  }

  /** Undefined where no policy asks, or the arguments were not inspected. */
  of(
    run: Run,
    { server_name: server, tool_name: tool, args }: ToolCallBeginPayload,
    policies: readonly PolicySnapshot[],
  ): Readings | undefined | Promise<Readings> {
    if (args === undefined || !policies.some(({ readsObjects }) => readsObjects)) return undefined;
    return this.#read({ server, tool, args }, this.#placeOf(run));
  }

  /** The objects of a call that nobody makes, as if it were made in a folder. */
  inFolder(folder: string | undefined, call: ReadCall): Readings | Promise<Readings> {
    return this.#read(call, placeOf(folder, this.#parts));
  }

  #read(call: ReadCall, place: Place): Readings | Promise<Readings> {
    const readings = readCall(call, place);
    return readings.paths.length === 0 ? readings : resolved(readings, this.#parts.resolve);
  }

  #placeOf(run: Run): Place {
    const known = this.#places.get(run);
    if (known !== undefined) return known;
    const place = placeOf(run.identity.workload?.repo_path, this.#parts);
    this.#places.set(run, place);
    return place;
  }
}
