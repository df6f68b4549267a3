import { type PlaneEntry, reasonText } from '@subluminal/plane';
import { span } from '../output/time.js';

/** An entry of the plane in words; undefined for one that says nothing to a person. */
export function entryText(entry: PlaneEntry): string | undefined {
  switch (entry.type) {
    case 'plane.boundary':
      return `boundary: ${reasonText(entry.why, entry.from, entry.to)}`;
    case 'plane.window':
      if (entry.what === 'opened') return undefined;
      return `window ${entry.window} over: ${entry.actions} calls in ${span(entry.ms)}, ${BY[entry.by]}`;
    case 'plane.checkpoint':
      return `checkpoint: ${entry.mechanism}, by call ${entry.event}`;
    case 'plane.signal_off':
      return `not looked at: ${entry.signal}${entry.missing.length === 0 ? '' : `, without ${entry.missing.join(', ')}`}`;
    case 'plane.skip':
      if (entry.reason !== 'form') return undefined;
      return entry.lacks === undefined
        ? 'no checkpoint: the arguments of a call of the form are not kept'
        : `no checkpoint: a call of the form lacks ${entry.lacks.join(', ')}`;
    case 'plane.steer':
      return undefined;
  }
}

const BY = { backstop: 'it ran out', boundary: 'at a boundary', end: 'the session ended' } as const;
