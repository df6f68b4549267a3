/** Actions by which `sub` itself asks the gateway for something: if they went well, they say nothing. */
export const INNER_ACTIONS: ReadonlySet<string> = new Set(['http.listen']);
