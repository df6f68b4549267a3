import { rmSync } from 'node:fs';
import { newId, sha256Hex, SublError } from '@subluminal/core-types';
import { processIdentity } from '@subluminal/ipc';
import {
  type DiffTold,
  diffTold,
  GatheredSteps,
  Layer,
  type LayerAbout,
  layerPlace,
  stepsOf,
  takeLayer,
} from '@subluminal/layers';
import type { WorldView } from '@subluminal/worlds';
import type { Call } from '../../program/call.js';

/** Enough that no two layers of a person have the same. */
const ID_LENGTH = 8;
const LOOK_MS = 2000;

/** The world that a layer is for. */
export interface LayerUse {
  /** The name of a layer that goes on from world to world; undefined: a new one. */
  readonly id: string | undefined;
  readonly runId: string;
  /** The command in words. */
  readonly label: string;
}

/** The layer over the project of a world that this process starts, and looks at. */
export class WorldLayer {
  readonly about: LayerAbout;
  readonly #layer: Layer;
  readonly #gathered = new GatheredSteps();
  readonly #timer: NodeJS.Timeout;
  #looked: Promise<unknown> = Promise.resolve();
  #isLooking = false;

  private constructor(about: LayerAbout) {
    this.about = about;
    this.#layer = new Layer(about);
    // The sooner a change is seen, the better it is known what the project was when it was made.
    this.#timer = setInterval(() => {
      if (!this.#isLooking) void this.#look().catch(() => undefined);
    }, LOOK_MS).unref();
  }

  /** Undefined for a view that writes through. Errors: those of `takeLayer`. */
  static take(call: Call, view: WorldView, { id, runId, label }: LayerUse): WorldLayer | undefined {
    if (view.writesThrough) return undefined;
    const holder = processIdentity(process.pid);
    if (holder === undefined) throw new SublError('failed', 'the system does not know this process');
    const place = layerPlace(call.home.layersDir, id ?? sha256Hex(newId()).slice(0, ID_LENGTH));
    const project = view.folder;
    return new WorldLayer(takeLayer(place, { project, runId, label, holder, now: call.session.now() }));
  }

  /** Tells of all changes since it was last asked. Undefined: there are none. */
  async told(): Promise<DiffTold | undefined> {
    await this.#look();
    return diffTold(this.#gathered.take(), this.#layer.diff.isTruncated);
  }

  /** Looks once more, when nothing writes there any more; all that differs from the project. */
  async over(): Promise<DiffTold | undefined> {
    try {
      await this.#look();
      const { changes, isTruncated } = this.#layer.diff;
      const told = diffTold(stepsOf(changes), isTruncated);
      // Nobody has to decide on nothing.
      if (told === undefined) rmSync(this.about.place.folder, { recursive: true, force: true });
      return told;
    } finally {
      clearInterval(this.#timer);
      await this.#looked;
      this.#layer.close();
    }
  }

  /** One look at a time. */
  #look(): Promise<void> {
    const look = this.#looked.then(async () => {
      this.#isLooking = true;
      try {
        this.#gathered.add(await this.#layer.look());
      } finally {
        this.#isLooking = false;
      }
    });
    this.#looked = look.catch(() => undefined);
    return look;
  }
}
