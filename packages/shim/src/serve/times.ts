/** The last answers reach a client that listens until so long after the end began: no half of an answer. */
export const LAST_ANSWERS_MS = 5000;
/** The last answers, and then the last reports to the gateway, get so long in any case. */
export const FLUSH_MS = 300;
