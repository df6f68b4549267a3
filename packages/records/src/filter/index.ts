/** The part of @subluminal/records that a browser can run: the language of filters. */
export { FILTER_KEYS, filterText, MAX_FILTER, parseFilter } from './parse.js';
export type { FilterKey, FilterTerm, ParsedFilter } from './parse.js';
export { momentOf } from './moment.js';
