import { claim } from './0001-claim.js';
import { served } from './0002-served.js';
import { secrets } from './0003-secrets.js';
import { accounts } from './0004-accounts.js';
import { authorities } from './0005-authorities.js';
import { agentPast } from './0006-agent-past.js';
import type { Migration } from './migration.js';

/** Every migration, in the order of its version; the last one's is the version that this gateway reads. */
export const MIGRATIONS: readonly Migration[] = [claim, served, secrets, accounts, authorities, agentPast];
