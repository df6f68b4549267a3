import { hasMark, type PathReading, type Readings } from '@subluminal/readings';
import { inTime } from '../lookup/in-time.js';
import { nearest, type ResolvePath } from '../lookup/nearest.js';

const MAX_PATHS = 256;

/**
 * Adds to each file of a call the form that its links lead to: of what is not there yet, the links of the
 * nearest folder above. A symbolic link that is made afterwards is not seen.
 */
export async function resolved(readings: Readings, resolve: ResolvePath): Promise<Readings> {
  if (readings.paths.length > MAX_PATHS) return unread(readings, 'it names too many files');
  const found = await inTime((isLate) =>
    Promise.all(readings.paths.map((one) => withLinks(one, resolve, isLate))),
  );
  // Which links there are cannot be told: rules that look at paths hold for it, and allow nothing.
  return found === 'late'
    ? unread(readings, 'the file system did not answer in time')
    : { ...readings, paths: found };
}

async function withLinks(
  reading: PathReading,
  resolve: ResolvePath,
  isLate: () => boolean,
): Promise<PathReading> {
  const written = [...reading.forms, ...reading.climbs].filter((form) => !hasMark(form));
  const links = await Promise.all(written.map((form) => nearest(form, resolve, isLate)));
  return { ...reading, forms: [...new Set([...reading.forms, ...links])] };
}

function unread(readings: Readings, why: string): Readings {
  return { ...readings, unread: { ...readings.unread, path: readings.unread.path ?? why } };
}
