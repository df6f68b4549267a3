import { afterEach } from 'vitest';
import { cleanUp } from './gateway/cleanups.js';

// Files share their process: a hook that a shared module registers is that of the first file that loads it,
// and of no other.
afterEach(cleanUp);
