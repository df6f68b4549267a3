import type { FsDiff } from '@subluminal/core-types';
import { Bases } from '../diff/bases.js';
import type { Change, Diff } from '../diff/change.js';
import { Differ } from '../diff/differ.js';
import { GatheredSteps } from '../diff/gathered.js';
import type { Step } from '../diff/step.js';
import { toldOf, UNSEEN } from '../diff/told.js';
import type { BytePath } from '../files/byte-path.js';
import { Folder } from '../files/folder.js';
import { BOUNDS } from '../walk/bounds.js';
import { Walker } from '../walk/walk.js';
import { assertOver } from './over.js';
import type { LayerAbout } from './place.js';

/** A layer that is open: looks again and again at how it differs from its project. */
export class Layer {
  /** The world's writes, and the project, both by descriptor. */
  readonly upper: Folder;
  readonly project: Folder;
  readonly bases: Bases;
  readonly #walker: Walker;
  readonly #differ: Differ;

  /** Throws the system's errors if the layer or its project is gone, and those of `assertOver`. */
  constructor(about: LayerAbout, bounds = BOUNDS) {
    const { place, project, mountedAt } = about;
    this.upper = Folder.open(place.upper);
    try {
      this.project = opened(about, project);
    } catch (error) {
      this.upper.close();
      throw error;
    }
    this.bases = new Bases(place.bases);
    this.#walker = new Walker(place.upper, bounds);
    this.#differ = new Differ({
      upper: this.upper,
      project: this.project,
      bases: this.bases,
      mountedAt,
      bounds,
    });
  }

  /** Looks at what has changed since the last look, and gives it; the first time everything. */
  async look(): Promise<readonly Step[]> {
    const steps = await this.#differ.take(await this.#walker.walk(this.#differ.since));
    if (!this.#differ.isUnsure) return steps;
    const all = new GatheredSteps();
    all.add(steps);
    all.add(await this.#differ.take(await this.#walker.walk(0n)));
    return all.take();
  }

  /** All differences, as of the last look. */
  get diff(): Diff {
    return this.#differ.diff;
  }

  /**
   * All that stands in the layer, as of the last look, and differs in nothing; without what a folder needs
   * that hides all of the project, if it is one of those that stay.
   */
  idle(stays: ReadonlySet<BytePath>): readonly Change[] {
    return this.#differ.idle(stays);
  }

  /** The folder of the layer, at a path or above, that hides all that the project has there. */
  hiderOf(path: BytePath): BytePath | undefined {
    return this.#differ.hiderOf(path);
  }

  close(): void {
    this.#walker.close();
    this.upper.close();
    this.project.close();
  }
}

function opened(about: LayerAbout, project: string): Folder {
  const folder = Folder.open(project);
  try {
    assertOver(about, folder.stats);
    return folder;
  } catch (error) {
    folder.close();
    throw error;
  }
}

/** All differences of a layer from its project, by one look within those bounds. */
export async function diffOf(about: LayerAbout, bounds = BOUNDS): Promise<Diff> {
  const layer = new Layer(about, bounds);
  try {
    await layer.look();
    return layer.diff;
  } finally {
    layer.close();
  }
}

/** The same for people; `UNSEEN` if the layer or its project is gone, or cannot be read. Never rejects. */
export function tellOf(about: LayerAbout, bounds = BOUNDS): Promise<FsDiff | undefined> {
  return diffOf(about, bounds).then(toldOf, () => UNSEEN);
}
