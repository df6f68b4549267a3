import { script } from './script.mjs';

/** One decision over a hundred rules. */
export const decide = script('packages/policy/bench/decide.mjs', { short: [], full: [] });
