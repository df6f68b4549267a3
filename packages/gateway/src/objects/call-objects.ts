import type { ToolCallBeginPayload } from '@subluminal/core-types';
import { keysOfAll, type PolicySnapshot } from '@subluminal/policy';
import {
  alsoFrom,
  marksAbove,
  type Place,
  placeIn,
  readCall,
  type ReadCall,
  type Readings,
} from '@subluminal/readings';
import { narrowingOf } from '../projects/narrowing.js';
import { inTime } from '../lookup/in-time.js';
import type { ResolvePath } from '../lookup/nearest.js';
import type { JudgeParts, OwnReadings } from '../runs/judge.js';
import type { Run } from '../runs/run.js';
import { readEach } from './own-readings.js';
import { resolved } from './resolve-paths.js';

/** Folders of a run whose projects are remembered. */
const MAX_FOLDERS = 64;

/** The machine's side of a reading. */
export interface ObjectParts {
  readonly home: string;
  readonly tmp: string;
  /** The path without links; asked by `inTime`, because it may never answer. */
  readonly resolve: ResolvePath;
  /** The folders in which the servers of a shim started. */
  readonly serverFolders: (runId: string, shimId: string) => readonly string[];
}

/** Reads the objects of a call for the policies that are in force for it. */
export function readObjects(
  { objects, policy, projects }: { readonly objects: CallObjects } & Pick<JudgeParts, 'policy' | 'projects'>,
  run: Run,
  payload: ToolCallBeginPayload,
): OwnReadings | Promise<OwnReadings> {
  const others = narrowingOf(projects, run).map((one) => one.snapshot);
  return readEach(policy.current.snapshot, others, (policies, keys) =>
    objects.of(run, payload, policies, keys),
  );
}

/**
 * Reads the objects of calls before rules are asked: from the arguments at once, and then once more as the
 * file system has their paths, where a call names any. Nothing is read for a policy that asks for none.
 */
export class CallObjects {
  readonly #parts: ObjectParts;
  /** Where the files of a run lie is looked up once for each folder that it works in. */
  readonly #places = new WeakMap<Run, Map<string | undefined, Place>>();

  constructor(parts: ObjectParts) {
    this.#parts = parts;
  }

  /**
   * Undefined if no policy asks, or the arguments were not inspected. `named`: those whose keys are read.
   */
  of(
    run: Run,
    { server_name: server, tool_name: tool, shim_id: shim, args, cwd }: ToolCallBeginPayload,
    policies: readonly PolicySnapshot[],
    named: readonly PolicySnapshot[] = policies,
  ): Readings | undefined | Promise<Readings> {
    if (args === undefined || !policies.some(({ readsObjects }) => readsObjects)) return undefined;
    const call = { server, tool, args, keys: keysOfAll(named, server, tool) };
    const folder = cwd ?? run.identity.workload?.repo_path;
    const servers = this.#parts.serverFolders(run.id, shim);
    const place = this.#places.get(run)?.get(folder);
    return place === undefined
      ? this.#placeOf(run, folder).then((found) => this.#read(call, alsoFrom(found, servers)))
      : this.#read(call, alsoFrom(place, servers));
  }

  /** The objects of a call that nobody makes, as if it were made in a folder. */
  async inFolder(folder: string | undefined, call: ReadCall): Promise<Readings> {
    const found = await this.#projectAbove(folder);
    return this.#read(call, found === 'late' ? this.#nowhere(folder) : placeIn(folder, found, this.#parts));
  }

  #read(call: ReadCall, place: Place): Readings | Promise<Readings> {
    const readings = readCall(call, place);
    return readings.paths.length === 0 ? readings : resolved(readings, this.#parts.resolve);
  }

  async #placeOf(run: Run, folder: string | undefined): Promise<Place> {
    const found = await this.#projectAbove(folder);
    // Looked for again with the next call.
    if (found === 'late') return this.#nowhere(folder);
    const place = placeIn(folder, found, this.#parts);
    const known = this.#places.get(run) ?? new Map<string | undefined, Place>();
    if (known.size >= MAX_FOLDERS) known.clear();
    known.set(folder, place);
    this.#places.set(run, known);
    return place;
  }

  /** The nearest folder with a mark of a project. The folder is the run's own word: it may never answer. */
  async #projectAbove(folder: string | undefined): Promise<string | undefined> {
    return inTime(async (isLate) => {
      for (const { folder: one, marks } of marksAbove(folder)) {
        for (const mark of marks) {
          if (isLate()) return undefined;
          if ((await this.#parts.resolve(mark)) !== undefined) return one;
        }
      }
      return undefined;
    });
  }

  /** A place without a project: nothing is inside of it. */
  #nowhere(folder: string | undefined): Place {
    return { ...placeIn(folder, undefined, this.#parts), project: undefined };
  }
}
