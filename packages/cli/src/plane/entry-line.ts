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
    case 'plane.steer':
    case 'plane.skip':
      return undefined;
  }
}

const BY = { backstop: 'it ran out', boundary: 'at a boundary', end: 'the session ended' } as const;
