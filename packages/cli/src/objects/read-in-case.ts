import type { ReadObjects } from '@subluminal/policy';
import { readCall } from '@subluminal/readings';

/** The machine of cases: the same everywhere, and without a file. */
const PLACE = { project: '/project', home: '/home/user', tmp: '/tmp', cwd: ['/project'] };

/** Reads the objects of a call of a case: `$PROJECT` is `/project`, `$HOME` is `/home/user`. */
export const readInCase: ReadObjects = (server, tool, args, keys) =>
  readCall({ server, tool, args, keys }, PLACE);
