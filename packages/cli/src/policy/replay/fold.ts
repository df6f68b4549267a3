import type { Replay, Replayed } from '@subluminal/policy';
import type { Happening } from '@subluminal/records';

/** Takes one step of a run into a replay. Gives the answer to a call, undefined for other steps. */
export function fold(replayed: Replay, happening: Happening): Replayed | undefined {
  switch (happening.what) {
    case 'run':
      replayed.begin(happening.runId, happening.identity);
      return undefined;
    case 'call':
      return replayed.call(happening.call);
    case 'end':
      if (happening.ran) replayed.end(happening.runId, happening.ref, happening.end, happening.ts);
      return undefined;
    case 'finish':
      replayed.finish(happening.runId);
      return undefined;
  }
}
