import type { Migration } from './migration.js';

/**
 * The first layout: a file that is marked as a gateway's. Each store of it creates its own table when it is first
 * used (`identity`, `live_run`, `upstream`, `policy`, `allowed_services`, `known_domains`, `approvals`).
 */
export const claim: Migration = { version: 1, up: () => undefined };
