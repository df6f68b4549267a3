import { type FsDiff, newId, sha256Hex } from '@subluminal/core-types';
import {
  assertSameProject,
  diffTold,
  GatheredSteps,
  Layer,
  type LayerAbout,
  isUntouched,
  layerPlace,
  letGo,
  readLayer,
  rememberAsks,
  tellOf,
  toldOf,
  UNSEEN,
} from '@subluminal/layers';
import type { WorldView } from '@subluminal/worlds';
import { escapeText } from '../../output/escape.js';
import type { Call } from '../../program/call.js';
import { claimed, takenLayer } from './take.js';

/** Enough that no two layers of a person have the same. */
const ID_LENGTH = 8;
const LOOK_MS = 2000;
const NS_OF_MS = 1_000_000n;

/** The world that a layer is for. */
export interface LayerUse {
  /** The name of a layer that goes on from world to world; undefined: a new one. */
  readonly id: string | undefined;
  readonly runId: string;
  /** The command in words. */
  readonly label: string;
}

/**
 * The layer over the project of a world that this process starts, and looks at. A layer that cannot be looked
 * at is told as `UNSEEN`: it is no reason to say nothing of the world.
 */
export class WorldLayer {
  readonly about: LayerAbout;
  readonly #call: Call;
  readonly #layer: Layer;
  readonly #gathered = new GatheredSteps();
  readonly #timer: NodeJS.Timeout;
  #last: Promise<boolean> = Promise.resolve(true);
  #isLooking = false;
  #end: Promise<FsDiff | undefined> | undefined;

  private constructor(call: Call, about: LayerAbout) {
    this.#call = call;
    this.about = about;
    this.#layer = new Layer(about);
    // The sooner a change is seen, the better it is known what the project was when it was made.
    this.#timer = setInterval(() => {
      if (!this.#isLooking) void this.#look();
    }, LOOK_MS).unref();
  }

  /**
   * Undefined for a view that writes through. Errors: those of `assertSameProject`, `takenLayer` and `Layer`.
   */
  static async take(
    call: Call,
    view: WorldView,
    { id, runId, label }: LayerUse,
  ): Promise<WorldLayer | undefined> {
    if (view.writesThrough) return undefined;
    const place = layerPlace(call.home.layersDir, id ?? sha256Hex(newId()).slice(0, ID_LENGTH));
    const known = readLayer(place);
    if (known !== undefined) assertSameProject(known);
    const now = known === undefined ? call.session.now() : await seenSince(known, call.session.now());
    const use = { project: view.folder, runId, label, now, as: 'world' as const };
    return new WorldLayer(call, await takenLayer(call.home, place, use));
  }

  /** Keeps the patterns that its world's policies ask about, as `rememberAsks` does. */
  remember(asks: readonly string[]): void {
    rememberAsks(this.about.place, asks);
  }

  /** Tells of all changes since it was last asked. Undefined: there are none. Never rejects. */
  async told(): Promise<FsDiff | undefined> {
    const isSeen = await this.#look();
    const told = diffTold(this.#gathered.take(), this.#layer.diff.isTruncated);
    return isSeen ? told : UNSEEN;
  }

  /**
   * Looks once more, when nothing writes there any more, and lets the layer go. Tells of all that differs
   * from the project; undefined: nothing, and the layer is removed. May be called again. Never rejects.
   */
  over(): Promise<FsDiff | undefined> {
    this.#end ??= this.#over();
    return this.#end;
  }

  async #over(): Promise<FsDiff | undefined> {
    clearInterval(this.#timer);
    const isSeen = await this.#look();
    this.#layer.close();
    return isSeen ? endOf(this.#call, this.about).catch(() => UNSEEN) : UNSEEN;
  }

  /** One look at a time. False: the layer could not be looked at. */
  #look(): Promise<boolean> {
    this.#last = this.#last.then(async () => {
      this.#isLooking = true;
      try {
        this.#gathered.add(await this.#layer.look());
        return true;
      } catch {
        return false;
      } finally {
        this.#isLooking = false;
      }
    });
    return this.#last;
  }
}

/**
 * Tells since when the next world counts as seeing the project: from now on, if all that the last one did not
 * see is noted. Milliseconds since 1970.
 */
async function seenSince(known: LayerAbout, now: number): Promise<number> {
  if (known.world !== undefined || isUntouched(known)) return now;
  const told = await tellOf(known);
  const isNoted = told !== UNSEEN && told?.truncated !== true;
  return isNoted ? now : Number(known.mountedAt / NS_OF_MS);
}

/**
 * All that differs when the world is over, by a look of its own: what was taken over meanwhile does not. That
 * leaves the layer, so that the next world sees the project there; with nothing in it the layer goes. Nothing
 * leaves it if somebody decides on it at that moment.
 */
async function endOf({ home, output, session }: Call, about: LayerAbout): Promise<FsDiff | undefined> {
  const isMine = await claimed(home, about, session.now()).then(
    () => true,
    () => false,
  );
  const layer = new Layer(about);
  try {
    await layer.look();
    const told = toldOf(layer.diff);
    // The changes that wait stay in any case; the end of the next world tries the others again.
    if (isMine)
      await letGo(about, layer, new Set()).catch((error: unknown) =>
        output.note(
          `sub: the layer keeps what the project has, too: ${escapeText(error instanceof Error ? error.message : String(error))}`,
        ),
      );
    return told;
  } finally {
    layer.close();
  }
}
