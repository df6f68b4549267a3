import { existsSync, realpathSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import {
  placeOf,
  readCall,
  type PathReading,
  type Place,
  type ReadCall,
  type Readings,
} from '@subluminal/readings';

/** Reads the objects of a call as if it were made in a folder of this machine. */
export function readHere(call: ReadCall, folder: string, place = placeHere(folder)): Readings {
  const readings = readCall(call, place);
  return { ...readings, paths: readings.paths.map(withLinks) };
}

/** The places of this machine for a run that works in a folder. */
export function placeHere(folder: string | undefined): Place {
  return placeOf(folder, { home: userInfo().homedir, tmp: tmpdir(), exists: existsSync });
}

/** With the form that its links lead to, where it is there. */
function withLinks(reading: PathReading): PathReading {
  const there = reading.forms.filter((form) => existsSync(form)).map((form) => realpathSync(form));
  return { ...reading, forms: [...new Set([...reading.forms, ...there])] };
}
